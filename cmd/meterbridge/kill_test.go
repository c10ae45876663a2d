package main

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge/internal/corpus"
)

// kills is how often a scan is killed before it may finish.
const kills = 50

// TestScan_KilledAtAnyMomentLosesNothing kills the program at random moments of
// a scan; the scan that may finish then must make the ledger that a scan without
// kills makes.
func TestScan_KilledAtAnyMomentLosesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("needs many runs of the program")
	}
	home := t.TempDir()
	if _, err := corpus.Generate(corpus.Options{Out: home, Size: 30_000_000, Seed: 7}); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	want := reports(t, home, "undisturbed")
	whole := time.Since(began)
	r := rand.New(rand.NewPCG(1, 2))
	for range kills {
		killed(t, home, time.Duration(r.Int64N(int64(whole))))
	}
	if d := cmp.Diff(want, reports(t, home, "killed")); d != "" {
		t.Errorf("reports after %d kills (-undisturbed +killed):\n%s", kills, d)
	}
}

func program(t *testing.T, home, data string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TZ=UTC", "METERBRIDGE_HOME=" + filepath.Join(home, data), asProgram + "=1",
	}
	return cmd
}

// killed starts a scan and kills it after a while.
func killed(t *testing.T, home string, after time.Duration) {
	t.Helper()
	cmd := program(t, home, "killed", "scan")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	_ = cmd.Wait() // killed, or done before the kill: both are fine
	timer.Stop()
}

// reports are the answers that must not depend on what happened on the way.
func reports(t *testing.T, home, data string) map[string]any {
	t.Helper()
	out := map[string]any{}
	for _, by := range []string{"daily", "session", "model", "project", "blocks"} {
		args := []string{"usage", by, "--json", "--until", "2026-12-31"}
		if len(out) > 0 {
			args = append(args, "--no-scan")
		}
		var text, fault bytes.Buffer
		cmd := program(t, home, data, args...)
		cmd.Stdout, cmd.Stderr = &text, &fault
		if err := cmd.Run(); err != nil {
			t.Fatalf("usage %s: %v\n%s", by, err, fault.String())
		}
		var v any
		if err := json.Unmarshal(text.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		out[by] = v
	}
	return out
}
