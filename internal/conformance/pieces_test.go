package conformance

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/internal/testkit"
)

// TestFixtures_ReadInRandomChunks grows the files of a fixture in random pieces,
// with a scan after each.
func TestFixtures_ReadInRandomChunks(t *testing.T) {
	forEachFixture(t, func(t *testing.T, f *fixture) {
		home, reference := f.build(t), &testkit.Memory{}
		f.scan(t, home.env, reference)
		logs := f.logs(t, home, reference)
		for seed := range uint64(3) {
			r := rand.New(rand.NewPCG(seed, 7))
			ledger := &testkit.Memory{}
			f.grow(t, home, logs, r, func() { f.scan(t, home.env, ledger) })
			shared := sharedRows(reference)
			if d := cmp.Diff(digests(reference, shared), digests(ledger, shared)); d != "" {
				t.Errorf("seed %d (-whole +chunks):\n%s", seed, d)
			}
		}
	})
}

// grow empties the home of its logs and lets them come back piece by piece.
func (f *fixture) grow(t *testing.T, h home, logs []log, r *rand.Rand, scan func()) {
	t.Helper()
	left := make(map[int][]byte)
	for i, l := range logs {
		must(t, os.Remove(l.path))
		left[i] = l.content
	}
	for len(left) > 0 {
		i := slices.Sorted(keys(left))[r.IntN(len(left))]
		l, n := logs[i], len(left[i])
		if l.kind.Shape == harnesses.Lines && n > 0 {
			n = min(n, 1+r.IntN(max(1, len(l.content)/3)))
		}
		appendTo(t, l.path, left[i][:n])
		if left[i] = left[i][n:]; len(left[i]) == 0 {
			delete(left, i)
		}
		if r.IntN(3) > 0 {
			scan()
		}
	}
	scan()
}

func keys(m map[int][]byte) func(func(int) bool) {
	return func(yield func(int) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func appendTo(t testing.TB, path string, content []byte) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	w, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	must(t, err)
	_, err = w.Write(content)
	must(t, err)
	must(t, w.Close())
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestFixtures_ReadByteByByte: a reader that looks after every byte finds a
// further line at its newline and nothing at the other bytes. So it is enough to
// open the parser anew at each line, and once more for a look that finds nothing.
func TestFixtures_ReadByteByByte(t *testing.T) {
	forEachFixture(t, func(t *testing.T, f *fixture) {
		home, reference := f.build(t), &testkit.Memory{}
		f.scan(t, home.env, reference)
		ledger := &testkit.Memory{}
		scan(t, withoutLines(f.harness), f.build(t).env, ledger)
		for _, l := range f.logs(t, home, reference) {
			if l.kind.Shape != harnesses.Lines {
				continue
			}
			f.feedBytes(t, ledger, l)
		}
		shared := sharedRows(reference)
		if d := cmp.Diff(digests(reference, shared), digests(ledger, shared)); d != "" {
			t.Errorf("(-whole +bytes):\n%s", d)
		}
	})
}

// withoutLines is the same harness, blind for its plain text logs.
func withoutLines(h harnesses.Harness) harnesses.Harness {
	claim := h.Claim
	h.Claim = func(rel string) (harnesses.Kind, bool) {
		kind, ok := claim(rel)
		return kind, ok && kind.Shape != harnesses.Lines
	}
	return h
}

// feedBytes commits what a log gives line by line.
func (f *fixture) feedBytes(t *testing.T, ledger *testkit.Memory, l log) {
	t.Helper()
	info, err := os.Stat(l.path)
	must(t, err)
	feed := feeder{h: &f.harness, log: l}
	for i, line := range wholeLines(l.content) {
		batches := []meterbridge.Batch{feed.next(line)}
		state := string(feed.state)
		batches = append(batches, feed.one(nil))
		if again := string(feed.state); again != state {
			t.Errorf("%s line %d: a look that finds nothing changes the state from %q to %q", l.rel, i+1, state, again)
		}
		for _, b := range batches {
			cp := meterbridge.Checkpoint{Harness: f.harness.ID, Kind: l.kind.Name, Path: l.path, ModTime: info.ModTime()}
			must(t, ledger.Commit(t.Context(), []meterbridge.Unit{{Checkpoint: cp, Batch: b}}))
		}
	}
}

// known are the outputs of a fixture's requests by identity.
func known(m *testkit.Memory) map[meterbridge.ID]int64 {
	out := map[meterbridge.ID]int64{}
	for _, r := range m.Rows() {
		out[r.ID()] = r.Tokens.Output.N
	}
	return out
}

// invented describes the requests that a cut log has and the whole one has not.
// A side record may say more than the record that takes its place.
func invented(full map[meterbridge.ID]int64, requests []meterbridge.Request) string {
	for i := range requests {
		r := &requests[i]
		if output, ok := full[r.ID()]; !ok {
			return fmt.Sprintf("invents the request %q", r.NativeID)
		} else if r.Tokens.Output.N > output && !r.Side {
			return fmt.Sprintf("request %q has output %d, more than %d", r.NativeID, r.Tokens.Output.N, output)
		}
	}
	return ""
}

// cutBudget bounds the bytes that are parsed for the cuts of one case; a larger
// case is cut at regular distances instead of at every byte.
const cutBudget = 24 << 20

// stride is the distance of the cuts of a record of n bytes, so that all records
// of a log together stay in the budget.
func stride(n, total int) int {
	return 1 + n*total/2/cutBudget
}

// TestFixtures_CutAtEveryByte cuts each line at each byte, as a crash and a later
// newline do, and each document likewise.
func TestFixtures_CutAtEveryByte(t *testing.T) {
	forEachFixture(t, func(t *testing.T, f *fixture) {
		home, reference := f.build(t), &testkit.Memory{}
		f.scan(t, home.env, reference)
		full := known(reference)
		for _, l := range f.logs(t, home, reference) {
			switch l.kind.Shape {
			case harnesses.Lines:
				f.cutLines(t, l, full)
			case harnesses.Document:
				f.cutDocument(t, l, full)
			}
		}
	})
}

func (f *fixture) cutLines(t *testing.T, l log, full map[meterbridge.ID]int64) {
	t.Helper()
	feed := feeder{h: &f.harness, log: l}
	for i, line := range wholeLines(l.content) {
		before := feed
		for n := 0; n < len(line); n += stride(len(line), len(l.content)) {
			cut := before
			if bad := invented(full, cut.one(trimmed(line[:n], feed.offset == 0)).Requests); bad != "" {
				t.Fatalf("%s line %d cut at %d: %s", l.rel, i+1, n, bad)
			}
		}
		if bad := invented(full, feed.next(line).Requests); bad != "" {
			t.Fatalf("%s ending with line %d: %s", l.rel, i+1, bad)
		}
	}
}

func (f *fixture) cutDocument(t *testing.T, l log, full map[meterbridge.ID]int64) {
	t.Helper()
	for n := 0; n <= len(l.content); n += stride(len(l.content), len(l.content)) {
		var b meterbridge.Batch
		f.harness.Document(l.kind, l.options()).Document(l.content[:n:n], &b)
		if bad := invented(full, b.Requests); bad != "" {
			t.Fatalf("%s cut at %d: %s", l.rel, n, bad)
		}
	}
}

// TestFixtures_CutStores cuts compressed logs and databases at some places.
func TestFixtures_CutStores(t *testing.T) {
	forEachFixture(t, func(t *testing.T, f *fixture) {
		home, reference := f.build(t), &testkit.Memory{}
		f.scan(t, home.env, reference)
		full := known(reference)
		for _, l := range f.logs(t, home, reference) {
			if l.kind.Shape != harnesses.CompressedLines && l.kind.Shape != harnesses.Database {
				continue
			}
			for i := range 16 {
				n := len(l.content) * i / 16
				must(t, os.WriteFile(l.path, l.content[:n], 0o644))
				cut := &testkit.Memory{}
				f.scan(t, home.env, cut)
				for _, r := range cut.Rows() {
					if bad := invented(full, requestsOf(r)); bad != "" {
						t.Fatalf("%s cut at %d of %d bytes: %s", l.rel, n, len(l.content), bad)
					}
				}
			}
			must(t, os.WriteFile(l.path, l.content, 0o644))
		}
	})
}

func requestsOf(r testkit.Row) []meterbridge.Request { return []meterbridge.Request{r.Request} }
