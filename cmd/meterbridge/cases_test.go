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
)

// A case is a public report of wrong numbers, or a trap found by running
// tools: files, steps, and the numbers that must come out (docs/cases.md).
type acceptanceCase struct {
	ID    string                       `json:"id"`
	Title string                       `json:"title"`
	Env   map[string]string            `json:"env"`
	Steps []map[string]json.RawMessage `json:"steps"`
}

type expectation struct {
	Exit      int            `json:"exit"`
	Totals    map[string]any `json:"totals"`
	Rows      []expectedRow  `json:"rows"`
	RowCount  *int           `json:"rowCount"`
	MaxRSSMiB *float64       `json:"maxRssMiB"`
}

type expectedRow struct {
	Match map[string]any `json:"match"`
	Want  map[string]any `json:"want"`
}

// caseSeconds bounds one run of the program.
const caseSeconds = 120

func TestCases(t *testing.T) {
	folders, err := filepath.Glob("../../testdata/cases/*/case.json")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range folders {
		folder := filepath.Dir(path)
		t.Run(filepath.Base(folder), func(t *testing.T) {
			t.Parallel()
			runCase(t, folder)
		})
	}
}

func runCase(t *testing.T, folder string) {
	text, err := os.ReadFile(filepath.Join(folder, "case.json"))
	if err != nil {
		t.Fatal(err)
	}
	var c acceptanceCase
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := stage{folder: folder, home: home, env: c.Env}
	for i, step := range c.Steps {
		if err := s.step(t, step); err != nil {
			t.Fatalf("%s %s: step %d: %v", c.ID, c.Title, i+1, err)
		}
	}
}

func (s stage) step(t *testing.T, step map[string]json.RawMessage) error {
	if args, ok := step["run"]; ok {
		var e expectation
		if raw, ok := step["expect"]; ok {
			if err := json.Unmarshal(raw, &e); err != nil {
				return err
			}
		}
		var list []string
		if err := json.Unmarshal(args, &list); err != nil {
			return err
		}
		return s.run(t, list, e)
	}
	for kind, raw := range step {
		if err := s.prepare(kind, raw); err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
	}
	return nil
}

// run starts the program as a process of its own, in a clean environment.
func (s stage) run(t *testing.T, args []string, e expectation) error {
	for i := range args {
		args[i] = s.fill(args[i])
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Dir = s.home
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.home, "TZ=UTC", "LANG=C.UTF-8",
		"METERBRIDGE_HOME=" + filepath.Join(s.home, "meterbridge-home"), asProgram + "=1",
	}
	for k, v := range s.env {
		cmd.Env = append(cmd.Env, k+"="+s.fill(v))
	}
	cmd.WaitDelay = caseSeconds * time.Second
	var out, fault bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &fault
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return err
	}
	if code := cmd.ProcessState.ExitCode(); code != e.Exit {
		return fmt.Errorf("exit: want %d, got %d\n%s%s", e.Exit, code, out.String(), fault.String())
	}
	return e.check(out.Bytes(), cmd.ProcessState)
}

func (e expectation) check(out []byte, state *os.ProcessState) error {
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
		if err := want.check(got.Rows); err != nil {
			return err
		}
	}
	if e.RowCount != nil && len(got.Rows) != *e.RowCount {
		return fmt.Errorf("rows: want %d, got %d", *e.RowCount, len(got.Rows))
	}
	return nil
}

func (r expectedRow) check(rows []map[string]any) error {
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
