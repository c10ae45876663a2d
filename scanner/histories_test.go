package scanner_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"meterbridge/harnesses"
	"meterbridge/harnesses/fixtures"
	"meterbridge/internal/testkit"
	"meterbridge/scanner"
)

// history does to logs what harnesses, users and disks do, and knows what the
// ledger must hold: of every request that a scan could see, the greatest output.
type history struct {
	root   string
	ledger *testkit.Memory
	toy    harnesses.Harness
	// files are the contents of what is there; a name in *.zst is compressed.
	files map[string]string
	// want are the outputs that were seen, by id.
	want map[string]int
	// made are the models of files, torn those whose first line was cut off somewhere.
	made, torn map[string]bool
	next       int
	now        int64
}

func TestScan_AnyHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		root, err := os.MkdirTemp("", "history")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(root)
		h := &history{root: root, ledger: &testkit.Memory{}, toy: testkit.Toy(), files: map[string]string{}, want: map[string]int{}, made: map[string]bool{}, torn: map[string]bool{}, now: 1_700_000_000}
		t.Repeat(map[string]func(*rapid.T){
			"create": h.create, "append": h.append, "append half": h.appendHalf, "rewrite": h.rewrite, "truncate": h.truncate,
			"delete": h.remove, "move": h.move, "rotate": h.rotate, "copy": h.copyFile, "compress": h.compress, "unpack": h.unpack,
			"replace": h.replace, "touch": h.touch, "scan": h.scan, "fail": h.failedScan, "upgrade": h.upgrade,
		})
		h.scan(t)
	})
}

func (h *history) path(name string) string { return filepath.Join(h.root, filepath.FromSlash(name)) }

// put writes a file as name says and sets a time of its own.
func (h *history) put(t *rapid.T, name, content string) {
	h.files[name] = content
	data := []byte(content)
	if strings.HasSuffix(name, ".zst") {
		packed, err := fixtures.Compress(data)
		h.must(t, err)
		data = packed
	}
	h.must(t, os.MkdirAll(filepath.Dir(h.path(name)), 0o755))
	h.must(t, os.WriteFile(h.path(name), data, 0o644))
	h.tick(t, name)
}

func (h *history) tick(t *rapid.T, name string) {
	h.now++
	h.must(t, os.Chtimes(h.path(name), time.Unix(h.now, 0), time.Unix(h.now, 0)))
}

func (h *history) must(t *rapid.T, err error) {
	if err != nil {
		t.Fatal(err)
	}
}

// pick chooses a file, plain or compressed.
func (h *history) pick(t *rapid.T, packed bool) string {
	var names []string
	for _, n := range slices.Sorted(maps.Keys(h.files)) {
		if strings.HasSuffix(n, ".zst") == packed {
			names = append(names, n)
		}
	}
	if len(names) == 0 {
		t.Skip("no such file")
	}
	return rapid.SampledFrom(names).Draw(t, "file")
}

// name is a name that is free.
func (h *history) name(t *rapid.T, suffix string) string {
	h.next++
	dir := rapid.SampledFrom([]string{"sessions/", "sessions/2026/", "archived/"}).Draw(t, "dir")
	return fmt.Sprintf("%s%d%s", dir, h.next, suffix)
}

// model is the word that the first line of a file names and its ids begin with.
func model(content string) string {
	first, _, _ := strings.Cut(content, "\n")
	return strings.TrimPrefix(first, "m ")
}

func (h *history) newModel() string {
	m := fmt.Sprintf("m%d", h.next)
	h.made[m] = true
	return m
}

// lines are further records of a file: new requests, and snapshots of old ones.
func (h *history) lines(t *rapid.T, model string) string {
	var b strings.Builder
	for range rapid.IntRange(1, 4).Draw(t, "lines") {
		if rapid.IntRange(0, 3).Draw(t, "snapshot") > 0 {
			h.next++
		}
		output := rapid.IntRange(0, 900).Draw(t, "output")
		b.WriteString(testkit.ToyLine(fmt.Sprintf("%s.%d", model, h.next), "s-"+model, output, 10))
	}
	return b.String()
}

func (h *history) create(t *rapid.T) {
	name := h.name(t, ".log")
	m := h.newModel()
	content := "m " + m + "\n" + h.lines(t, m)
	if rapid.Bool().Draw(t, "long head") {
		content += strings.Repeat("x", 1500) + "\n"
	}
	h.put(t, name, content)
}

func (h *history) append(t *rapid.T) {
	name := h.pick(t, false)
	h.put(t, name, h.files[name]+h.lines(t, model(h.files[name])))
}

func (h *history) appendHalf(t *rapid.T) {
	name := h.pick(t, false)
	more := h.lines(t, model(h.files[name]))
	h.put(t, name, h.files[name]+more[:rapid.IntRange(0, len(more)).Draw(t, "half")])
}

func (h *history) rewrite(t *rapid.T) {
	name := h.pick(t, false)
	lines := strings.SplitAfter(h.files[name], "\n")
	kept := lines[0]
	for _, l := range lines[1:] {
		if rapid.IntRange(0, 2).Draw(t, "keep") > 0 {
			kept += l
		}
	}
	h.put(t, name, kept)
}

func (h *history) truncate(t *rapid.T) {
	name := h.pick(t, false)
	content := h.files[name]
	left := content[:rapid.IntRange(0, len(content)).Draw(t, "size")]
	h.torn[model(content)], h.torn[model(left)] = true, true
	h.put(t, name, left)
}

func (h *history) remove(t *rapid.T) {
	name := h.pick(t, rapid.Bool().Draw(t, "packed"))
	h.must(t, os.Remove(h.path(name)))
	delete(h.files, name)
}

func (h *history) rename(t *rapid.T, from, to string) {
	h.must(t, os.MkdirAll(filepath.Dir(h.path(to)), 0o755))
	h.must(t, os.Rename(h.path(from), h.path(to)))
	h.files[to] = h.files[from]
	delete(h.files, from)
}

func (h *history) move(t *rapid.T) {
	name := h.pick(t, rapid.Bool().Draw(t, "packed"))
	to := h.name(t, filepath.Ext(strings.TrimSuffix(name, ".zst")))
	if strings.HasSuffix(name, ".zst") {
		to += ".zst"
	}
	h.rename(t, name, to)
}

// rotate moves a log and writes another one at its path.
func (h *history) rotate(t *rapid.T) {
	name := h.pick(t, false)
	h.rename(t, name, h.name(t, ".log"))
	m := h.newModel()
	h.put(t, name, "m "+m+"\n"+h.lines(t, m))
}

func (h *history) copyFile(t *rapid.T) {
	name := h.pick(t, false)
	h.put(t, h.name(t, ".log"), h.files[name])
}

func (h *history) compress(t *rapid.T) {
	name := h.pick(t, false)
	h.must(t, os.Remove(h.path(name)))
	content := h.files[name]
	delete(h.files, name)
	h.put(t, name+".zst", content)
}

func (h *history) unpack(t *rapid.T) {
	name := h.pick(t, true)
	h.must(t, os.Remove(h.path(name)))
	content := h.files[name]
	delete(h.files, name)
	h.put(t, strings.TrimSuffix(name, ".zst"), content)
}

// replace writes the same, and perhaps more, to a new file under the old name.
func (h *history) replace(t *rapid.T) {
	name := h.pick(t, false)
	content := h.files[name]
	if rapid.Bool().Draw(t, "grown") {
		content += h.lines(t, model(content))
	}
	h.must(t, os.WriteFile(h.path("new.tmp"), []byte(content), 0o644))
	h.must(t, os.Rename(h.path("new.tmp"), h.path(name)))
	h.files[name] = content
	h.tick(t, name)
}

func (h *history) touch(t *rapid.T) { h.tick(t, h.pick(t, rapid.Bool().Draw(t, "packed"))) }

func (h *history) upgrade(*rapid.T) { h.toy.ParserVersion++ }

func (h *history) scanner(t *rapid.T, sink scanner.Sink) *scanner.Scanner {
	env := harnesses.Env{Home: h.root, Getenv: func(string) string { return h.root }}
	s, err := scanner.New(sink, scanner.Options{Env: env, Harnesses: []harnesses.Harness{h.toy}, Workers: 2, CommitRows: 3})
	h.must(t, err)
	return s
}

// failedScan is a scan whose second commit fails; what it did not commit is seen
// by the next one.
func (h *history) failedScan(t *rapid.T) {
	sink := &testkit.Faulty{Memory: h.ledger, Fail: func(n int) error {
		if n == 2 {
			return testkit.ErrInjected
		}
		return nil
	}}
	if _, err := h.scanner(t, sink).Scan(t.Context()); err != nil && !errors.Is(err, testkit.ErrInjected) {
		t.Fatal(err)
	}
	// Some of it may be committed; all of it is seen before anything else happens.
	h.scan(t)
}

func (h *history) scan(t *rapid.T) {
	_, err := h.scanner(t, h.ledger).Scan(t.Context())
	h.must(t, err)
	here := map[string]bool{}
	for _, content := range h.files {
		for id, output := range records(content) {
			h.want[id] = max(h.want[id], output)
			here[id] = true
		}
	}
	got := map[string]int{}
	for _, r := range h.ledger.Rows() {
		got[r.NativeID] = int(r.Tokens.Output.N)
		m, _, _ := strings.Cut(r.NativeID, ".")
		if h.made[m] && !h.torn[m] && r.Model != m {
			t.Fatalf("request %s has model %q", r.NativeID, r.Model)
		}
		if here[r.NativeID] && r.Vanished {
			t.Fatalf("request %s is there and flagged as vanished", r.NativeID)
		}
	}
	if d := cmp.Diff(h.want, got); d != "" {
		t.Fatalf("outputs by request (-want +got):\n%s", d)
	}
	again, err := h.scanner(t, h.ledger).Scan(t.Context())
	h.must(t, err)
	if again.Total().Opened != 0 || again.Commits != 0 {
		t.Fatalf("a scan of nothing new: %+v", again)
	}
}

// records are the outputs in the whole lines of a content.
func records(content string) map[string]int {
	out := map[string]int{}
	lines := strings.SplitAfter(content, "\n")
	for _, line := range lines[:len(lines)-1] {
		f := strings.Fields(line)
		if len(f) != 5 || f[0] != "r" {
			continue
		}
		if output, err := strconv.Atoi(f[3]); err == nil {
			if old, ok := out[f[1]]; !ok || output > old {
				out[f[1]] = output
			}
		}
	}
	return out
}
