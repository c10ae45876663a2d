package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"meterbridge/internal/cases"
)

// caseSeconds bounds one run of the program.
const caseSeconds = 120

// TestCases runs every public report of wrong numbers (docs/cases.md).
func TestCases(t *testing.T) {
	list, err := cases.All("../../testdata/cases")
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		t.Run(filepath.Base(list[i].Folder), func(t *testing.T) {
			t.Parallel()
			runCase(t, &list[i])
		})
	}
}

func runCase(t *testing.T, c *cases.Case) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	stage := c.At(home)
	for i := range c.Steps {
		step := &c.Steps[i]
		err := stage.Prepare(step)
		if len(step.Run) > 0 {
			err = runStep(t, stage, step)
		}
		if err != nil {
			t.Fatalf("%s %s: step %d: %v", c.ID, c.Title, i+1, err)
		}
	}
}

// runStep starts the program as a process of its own, in a clean environment.
func runStep(t *testing.T, s cases.Stage, step *cases.Step) error {
	cmd := exec.CommandContext(t.Context(), os.Args[0], s.Args(step)...)
	cmd.Dir = s.Home
	cmd.Env = append(s.Environ(), asProgram+"=1")
	cmd.WaitDelay = caseSeconds * time.Second
	var out, fault bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &fault
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return err
	}
	if code := cmd.ProcessState.ExitCode(); code != step.Expect.Exit {
		return fmt.Errorf("exit: want %d, got %d\n%s%s", step.Expect.Exit, code, out.String(), fault.String())
	}
	return check(&step.Expect, out.Bytes(), cmd.ProcessState)
}

func check(e *cases.Expectation, out []byte, state *os.ProcessState) error {
	if used, ok := state.SysUsage().(*syscall.Rusage); ok && e.MaxRSSMiB != nil && runtime.GOOS == "linux" {
		if got := float64(used.Maxrss) / 1024; got > *e.MaxRSSMiB {
			return fmt.Errorf("memory: want at most %v MiB, got %.0f", *e.MaxRSSMiB, got)
		}
	}
	if e.Totals == nil && e.Rows == nil && e.RowCount == nil {
		return nil
	}
	var got struct {
		Rows   []map[string]any `json:"rows"`
		Totals map[string]any   `json:"totals"`
	}
	if err := json.Unmarshal(out, &got); err != nil {
		return fmt.Errorf("standard output is no JSON: %w", err)
	}
	if err := sameFields("totals", e.Totals, got.Totals); err != nil {
		return err
	}
	for _, want := range e.Rows {
		if err := checkRow(want, got.Rows); err != nil {
			return err
		}
	}
	if e.RowCount != nil && len(got.Rows) != *e.RowCount {
		return fmt.Errorf("rows: want %d, got %d", *e.RowCount, len(got.Rows))
	}
	return nil
}

func checkRow(r cases.Row, rows []map[string]any) error {
	var hits []map[string]any
	for _, row := range rows {
		if sameFields("", r.Match, row) == nil {
			hits = append(hits, row)
		}
	}
	if len(hits) != 1 {
		return fmt.Errorf("row %v: want exactly one, got %d among %v", r.Match, len(hits), rows)
	}
	return sameFields(fmt.Sprintf("row %v", r.Match), r.Want, hits[0])
}

func sameFields(where string, want, got map[string]any) error {
	for k, w := range want {
		g, ok := got[k]
		if !ok {
			return fmt.Errorf("%s.%s: want %v, the field is absent", where, k, w)
		}
		if !sameValue(w, g) {
			return fmt.Errorf("%s.%s: want %v, got %v", where, k, w, g)
		}
	}
	return nil
}

// sameValue compares exactly; {"min":A,"max":B} is a range, lists of text are sets.
func sameValue(want, got any) bool {
	switch w := want.(type) {
	case map[string]any:
		n, ok := got.(float64)
		low, hasLow := w["min"].(float64)
		high, hasHigh := w["max"].(float64)
		return ok && (!hasLow || n >= low) && (!hasHigh || n <= high)
	case []any:
		g, ok := got.([]any)
		return ok && slices.Equal(texts(w), texts(g))
	}
	return want == got
}

func texts(list []any) []string {
	out := make([]string, 0, len(list))
	for _, v := range list {
		out = append(out, strings.TrimSpace(fmt.Sprint(v)))
	}
	slices.Sort(out)
	return out
}
