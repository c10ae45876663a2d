package conformance

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"meterbridge"
	"meterbridge/harnesses/all"
	"meterbridge/harnesses/fixtures"
	"meterbridge/internal/cases"
	"meterbridge/internal/config"
	"meterbridge/internal/corpus"
	"meterbridge/internal/daemon"
)

// The invariants of lizhuojunx86/token-accounting-conformance v0.1 (docs/cases.md)
// are laws over subjects: every fixture, every case and a small corpus, read by
// the real scanner into the real ledger. What they are held against is the
// subjects' own want.json, the corpus's truth, and a reader of the raw logs that
// shares no code with the parsers (invariant_raw_test.go).

// subject is a home with logs and its story.
type subject struct {
	name string
	env  func(home string) func(string) string
	// play makes the logs and calls look whenever the story has a reader look.
	play func(t *testing.T, home string, look func())
	// want are the requests of a fixture's want.json; nil for other subjects.
	want []object
	// truth is the corpus's; nil for other subjects.
	truth corpus.Truth
}

// facts are what a ledger says of a subject when its story is over.
type facts struct {
	*subject
	rows      []row
	usage     map[string]daemon.UsageReport // by key of the report
	reconcile daemon.ReconcileReport
	doctor    daemon.DoctorReport
	unpriced  []daemon.UnpricedName
	// overlooked are logs that a walk of its own found and the ledger does not know.
	overlooked []string
	// raw is everything that was in the logs at any look.
	raw *rawLogs
}

// asked are the reports that laws look into; reconcile proves that the others agree.
var asked = []string{"month", "session", "harness"}

func subjects(t *testing.T) []*subject {
	t.Helper()
	var out []*subject
	for _, h := range all.Harnesses() {
		for _, dir := range caseDirs(t, h.ID) {
			out = append(out, ofFixture(load(t, h, dir)))
		}
	}
	list, err := cases.All("../../testdata/cases")
	must(t, err)
	for i := range list {
		if list[i].ID != "C-16" { // its log has 600 MB; TestCases runs it
			out = append(out, ofCase(&list[i]))
		}
	}
	return append(out, ofCorpus())
}

func ofFixture(f *fixture) *subject {
	return &subject{
		name: f.harness.ID + "/" + filepath.Base(f.dir), want: f.want["requests"],
		env: func(home string) func(string) string {
			recipe, err := fixtures.ReadRecipe(os.DirFS(f.dir))
			if err != nil {
				panic(err)
			}
			return recipe.Environment(home).Getenv
		},
		play: func(t *testing.T, home string, look func()) {
			_, err := fixtures.Build(os.DirFS(f.dir), home)
			must(t, err)
			look()
		},
	}
}

func ofCase(c *cases.Case) *subject {
	return &subject{
		name: filepath.Base(c.Folder),
		env:  func(home string) func(string) string { return c.At(home).Getenv },
		play: func(t *testing.T, home string, look func()) {
			for i := range c.Steps {
				if must(t, c.At(home).Prepare(&c.Steps[i])); len(c.Steps[i].Run) > 0 {
					look()
				}
			}
		},
	}
}

const corpusName = "corpus"

func ofCorpus() *subject {
	s := &subject{name: corpusName, env: func(string) func(string) string { return func(string) string { return "" } }}
	s.play = func(t *testing.T, home string, look func()) {
		truth, err := corpus.Generate(corpus.Options{Out: home, Size: 5_000_000, Seed: 7})
		must(t, err)
		s.truth = truth
		look()
	}
	return s
}

// forEachSubject holds a law against what every subject gave. A law returns how
// often it had something to look at; fewer than least in all prove nothing.
func forEachSubject(t *testing.T, least int, law func(t *testing.T, f *facts) int) {
	var proved atomic.Int64
	t.Run("every", func(t *testing.T) {
		for i, s := range subjects(t) {
			if testing.Short() && i%8 != 0 && s.name != corpusName {
				continue
			}
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				proved.Add(int64(law(t, gather(t, s))))
			})
		}
	})
	if n := proved.Load(); n < int64(least) && !testing.Short() {
		t.Errorf("the law had only %d things to look at, want %d: nothing is proved", n, least)
	}
}

// gathered are the facts by the subject's name, each made by the first law that
// asks for it.
var gathered sync.Map

type gathering struct {
	once  sync.Once
	facts *facts
}

// gather plays a subject's story, once for all laws.
func gather(t *testing.T, s *subject) *facts {
	t.Helper()
	v, _ := gathered.LoadOrStore(s.name, &gathering{})
	g := v.(*gathering)
	g.once.Do(func() {
		f := &facts{subject: s, usage: map[string]daemon.UsageReport{}, raw: newRawLogs()}
		m := open(t, s)
		defer m.Close()
		s.play(t, m.home, func() {
			m.look(t)
			sources := m.sources(t)
			f.raw.read(t, sources)
			f.overlooked = append(f.overlooked, overlooked(t, m.home, s.env(m.home), sources)...)
		})
		f.ask(t, m)
		g.facts = f
	})
	if g.facts == nil {
		t.Fatal("the subject could not be read")
	}
	return g.facts
}

func (f *facts) ask(t *testing.T, m *meter) {
	t.Helper()
	for _, by := range asked {
		f.usage[by] = m.usage(t, by)
	}
	f.rows, f.reconcile = m.rows(t), m.prove(t)
	var err error
	f.doctor, err = m.Doctor(t.Context(), time.UTC)
	must(t, err)
	f.unpriced, err = m.Unpriced(t.Context(), time.UTC)
	must(t, err)
}

// meter is an open installation beside a subject's home.
type meter struct {
	*daemon.Meter
	home string
}

func open(t *testing.T, s *subject) *meter {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	return openAt(t, s, home, t.TempDir())
}

// emptyLedger is a new ledger's file: making it once is cheaper than for each subject.
var emptyLedger = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "conformance-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	paths := config.Paths{Data: dir, Config: dir}
	m, err := daemon.Open(context.Background(), daemon.Options{Home: dir, OS: runtime.GOOS, Getenv: func(string) string { return "" }, Now: time.Now, Paths: &paths})
	if err != nil {
		return nil, err
	}
	if err := m.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(paths.Ledger())
})

// openAt opens a ledger in the folder data for the logs below home.
func openAt(t *testing.T, s *subject, home, data string) *meter {
	t.Helper()
	empty, err := emptyLedger()
	must(t, err)
	must(t, os.WriteFile(config.Paths{Data: data}.Ledger(), empty, 0o600))
	m, err := daemon.Open(t.Context(), daemon.Options{
		Home: home, OS: runtime.GOOS, Getenv: s.env(home), Now: time.Now, Paths: &config.Paths{Data: data, Config: data},
	})
	must(t, err)
	return &meter{m, home}
}

// look scans; that nothing is there is no fault.
func (m *meter) look(t *testing.T) {
	t.Helper()
	if _, err := m.Scan(t.Context(), nil); err != nil && !strings.Contains(err.Error(), "no logs were found") {
		t.Fatal(err)
	}
}

func (m *meter) usage(t *testing.T, by string) daemon.UsageReport {
	t.Helper()
	r, err := m.Usage(t.Context(), daemon.UsageQuery{By: by, Zone: time.UTC, WeekStart: time.Monday, Cost: "auto"})
	must(t, err)
	return r
}

func (m *meter) prove(t *testing.T) daemon.ReconcileReport {
	t.Helper()
	r, err := m.Reconcile(t.Context(), daemon.ReconcileOptions{Zone: time.UTC})
	must(t, err)
	return r
}

// row is a request as `meterbridge sql` shows it.
type row struct {
	// calls is how many requests the row stands for, rule the one that made it.
	calls                                                    int64
	rule                                                     string
	id, harness, session, responseID, model, source, machine string
	tokens                                                   figures
	reasoning                                                meterbridge.Count
	recorded, cost                                           string // pico-USD, empty for null
	fee                                                      bool
}

func (r row) String() string {
	return fmt.Sprintf("%s request %s (%s) of %s: %v", r.harness, r.id, r.responseID, filepath.Base(r.source), r.tokens)
}

// figures are the disjoint classes of a request; both lifetimes of writes are one.
type figures struct{ input, output, cacheRead, cacheWrite meterbridge.Count }

func (f figures) total() int64 { return f.input.N + f.output.N + f.cacheRead.N + f.cacheWrite.N }

func (f figures) String() string {
	var parts []string
	for _, c := range []meterbridge.Count{f.input, f.output, f.cacheRead, f.cacheWrite} {
		if c.OK {
			parts = append(parts, fmt.Sprint(c.N))
		} else {
			parts = append(parts, "–")
		}
	}
	return strings.Join(parts, "/")
}

const rowsQuery = `SELECT id::VARCHAR, harness, session, response_id, model, source, machine, input_tokens, output_tokens, cache_read_tokens,
  CASE WHEN cache_write_5m_tokens IS NULL AND cache_write_1h_tokens IS NULL THEN NULL ELSE coalesce(cache_write_5m_tokens, 0) + coalesce(cache_write_1h_tokens, 0) END,
  reasoning_tokens, recorded_pusd, cost_pusd, coalesce(web_searches, 0) > 0, coalesce(calls, 1), rule FROM requests ORDER BY id`

func (m *meter) rows(t *testing.T) []row {
	t.Helper()
	r, err := m.SQL(t.Context(), rowsQuery, daemon.SQLLimits{Rows: 100_000})
	must(t, err)
	out := make([]row, len(r.Rows))
	for i, v := range r.Rows {
		out[i] = row{
			id: strings.ReplaceAll(plainText(v[0]), "-", ""), harness: plainText(v[1]), session: plainText(v[2]), responseID: plainText(v[3]),
			model: plainText(v[4]), source: plainText(v[5]), machine: plainText(v[6]),
			tokens:    figures{countOf(v[7]), countOf(v[8]), countOf(v[9]), countOf(v[10])},
			reasoning: countOf(v[11]), recorded: plainText(v[12]), cost: plainText(v[13]), fee: v[14] == true,
			calls: countOf(v[15]).N, rule: plainText(v[16]),
		}
	}
	return out
}

func (m *meter) sources(t *testing.T) []string {
	t.Helper()
	r, err := m.SQL(t.Context(), "SELECT path FROM sources ORDER BY path", daemon.SQLLimits{Rows: 100_000})
	must(t, err)
	var out []string
	for _, v := range r.Rows {
		out = append(out, plainText(v[0]))
	}
	return slices.Compact(out)
}

func plainText(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

func countOf(v any) meterbridge.Count {
	n, ok := v.(int64)
	return meterbridge.Count{N: n, OK: ok}
}
