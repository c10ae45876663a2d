package claudecode

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
)

// TestState_IsReadAsItWasWritten has every field, alone and with all others, and
// texts that JSON writes with escapes.
func TestState_IsReadAsItWasWritten(t *testing.T) {
	odd := "a\"b\\c\n\x00<ä\u2028😀"
	fields := []func(*state){
		func(s *state) { s.Last = 1_790_000_000_123 },
		func(s *state) { s.File = namedAfterFile },
		func(s *state) { s.File = odd },
		func(s *state) { s.Summary = odd },
		func(s *state) { s.Empty = "3w5e11264sgsf" },
		func(s *state) { s.Sent = []sentRequest{{ID: "a", At: 1}, {ID: odd, At: 2}} },
		func(s *state) {
			s.Messages = []messageTools{{message: 1<<64 - 1}, {message: 7, names: []string{"Bash", odd}, calls: []uint32{0, 1<<32 - 1}}}
		},
		func(s *state) { s.Reused = []reusedID{{ID: "msg_0", First: "r1", Now: odd, At: -5}} },
		func(s *state) { s.Turn = turn{ID: odd, Start: 12} },
		func(s *state) { s.Turn = turn{ID: "t", Start: 12, Done: true} },
		func(s *state) {
			s.Command = &heldCommand{ID: "c", Session: odd, At: 3, Project: "/srv/demo", Preview: odd, Place: meterbridge.Place{Line: 1, Offset: 2, Hash: 3}, Turned: true}
		},
		func(s *state) { s.Prompted = []string{"k", odd} },
	}
	all := state{}
	check := func(s state) {
		t.Helper()
		b := s.encode()
		if !json.Valid(b) {
			t.Errorf("%+v: no JSON: %s", s, b)
		}
		if diff := cmp.Diff(s, decodeState(b), cmp.AllowUnexported(state{}, messageTools{})); diff != "" {
			t.Errorf("%s: -want +got\n%s", b, diff)
		}
	}
	check(all)
	for _, set := range fields {
		one := state{}
		set(&one)
		check(one)
		set(&all)
		check(all)
	}
}
