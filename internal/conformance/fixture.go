// Package conformance holds every harness to the laws of the meter: its
// fixtures (testdata/harnesses/<id>/<case>) give the numbers of their want.json,
// read whole, in pieces, twice, cut anywhere and through any history. Its tests
// are the suite; nothing imports it.
package conformance

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/fixtures"
	"meterbridge/internal/testkit"
	"meterbridge/scanner"
)

// fixture is one case of one harness.
type fixture struct {
	harness harnesses.Harness
	dir     string
	want    map[string][]object
}

// home is a fixture as it lies on a disk.
type home struct {
	env harnesses.Env
	dir string
}

func (f *fixture) build(t testing.TB) home {
	t.Helper()
	dir := t.TempDir()
	env, err := fixtures.Build(os.DirFS(f.dir), dir)
	if err != nil {
		t.Fatalf("%s: %v", f.dir, err)
	}
	return home{env, dir}
}

// load reads a fixture's want.json.
func load(t testing.TB, h harnesses.Harness, dir string) *fixture {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "want.json"))
	if err != nil {
		t.Fatal(err)
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		t.Fatalf("%s/want.json: %v", dir, err)
	}
	f := &fixture{harness: h, dir: dir, want: map[string][]object{}}
	for name, value := range raw {
		if name == "why" {
			continue
		}
		f.want[name] = decode(t, dir, name, value)
	}
	return f
}

// scan reads a home into a ledger and returns what it took.
func (f *fixture) scan(t testing.TB, env harnesses.Env, sink scanner.Sink) scanner.Result {
	t.Helper()
	return scan(t, f.harness, env, sink)
}

func scan(t testing.TB, h harnesses.Harness, env harnesses.Env, sink scanner.Sink) scanner.Result {
	t.Helper()
	s, err := scanner.New(sink, scanner.Options{Env: env, Harnesses: []harnesses.Harness{h}, StoreText: true})
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.Scan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// digest is a request as far as every way of reading must agree on it.
type digest struct {
	Native, Session, Model, Provider, EndedAt string
	Tokens                                    meterbridge.Tokens
	Recorded                                  string
}

// digests are the requests of a ledger by identity. Of a request that several
// sources hold, the owner depends on which was seen first: only what does not is
// kept of those that shared names.
func digests(m *testkit.Memory, shared map[meterbridge.ID]bool) map[string]digest {
	out := map[string]digest{}
	for _, r := range m.Rows() {
		d := digest{Native: r.NativeID, Session: r.Session, Model: r.Model, Provider: r.Provider, EndedAt: r.EndedAt.UTC().String(), Tokens: r.Tokens, Recorded: fmt.Sprint(ofRequest(&r.Request)["recordedUsd"])}
		if shared[r.ID()] {
			d = digest{Native: r.NativeID, Tokens: meterbridge.Tokens{Output: r.Tokens.Output}}
		}
		out[fmt.Sprintf("%s %x", r.NativeID, r.ID())] = d
	}
	return out
}

// sharedRows are the requests that more than one source holds.
func sharedRows(m *testkit.Memory) map[meterbridge.ID]bool {
	out := map[meterbridge.ID]bool{}
	for _, r := range m.Rows() {
		if len(r.Sources) > 1 {
			out[r.ID()] = true
		}
	}
	return out
}
