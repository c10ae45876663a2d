package process

import (
	"fmt"
	"strings"
	"testing"
)

func TestTree_TakesOnlyWhatBelongsToTheSession(t *testing.T) {
	all := []Process{
		{PID: 1, Parent: 0, Session: 1},
		{PID: 2, Parent: 0, Session: 0},
		{PID: 10, Parent: 5, Session: 10},
		{PID: 11, Parent: 10, Session: 10},
		{PID: 12, Parent: 1, Session: 10}, // a background job whose parent ended
		{PID: 13, Parent: 11, Session: 13},
		{PID: 14, Parent: 13, Session: 13},
		{PID: 20, Parent: 1, Session: 20},
		{PID: 30, Parent: 5, Session: 30},
	}
	pids := func(leader int, known ...Process) string {
		var b strings.Builder
		for _, p := range Tree(all, leader, known) {
			fmt.Fprint(&b, p.PID, " ")
		}
		return b.String()
	}
	if got := pids(10); got != "10 11 12 13 14 " {
		t.Errorf("of 10: %s", got)
	}
	if got := pids(0); got != "" {
		t.Errorf("of nobody: %s", got)
	}
	if got := pids(0, Process{PID: 13, Session: 13}); got != "13 14 " {
		t.Errorf("of a known one: %s", got)
	}
}
