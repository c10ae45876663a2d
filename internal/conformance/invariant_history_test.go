package conformance

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"meterbridge/harnesses"
	"meterbridge/harnesses/all"
	"meterbridge/internal/daemon"
)

// sums are the tokens and the cost by harness and month, the form in which
// history must not fall.
type sums map[string]string

const sumsQuery = `SELECT harness || ' ' || strftime(ended_at, '%Y-%m'), count(*), sum(input_tokens), sum(output_tokens), sum(cache_read_tokens),
  sum(cache_write_5m_tokens), sum(cache_write_1h_tokens), sum(cost_pusd) FROM requests GROUP BY 1`

func (m *meter) sums(t *testing.T) sums {
	t.Helper()
	r, err := m.SQL(t.Context(), sumsQuery, daemon.SQLLimits{})
	must(t, err)
	out := sums{}
	for _, v := range r.Rows {
		out[plainText(v[0])] = text(v[1:])
	}
	return out
}

// same holds the sums of two moments against each other.
func (before sums) same(t *testing.T, when string, now sums) {
	t.Helper()
	for month, was := range before {
		if now[month] != was {
			t.Errorf("%s: %s: %s, was %s", when, month, now[month], was)
		}
	}
	if len(now) != len(before) {
		t.Errorf("%s: %d months, were %d", when, len(now), len(before))
	}
}

// holds: every check of a proof holds, and it warns of nothing.
func holds(t *testing.T, when string, r daemon.ReconcileReport) {
	t.Helper()
	for _, c := range r.Checks {
		if !c.OK {
			t.Errorf("%s: %s: %s", when, c.Name, c.Detail)
		}
	}
	for _, w := range r.Warnings {
		t.Errorf("%s: warning: %s", when, w)
	}
}

// standing is a subject whose logs are all there, with a ledger that read them once.
func standing(t *testing.T, s *subject) (m *meter, logs []string, before sums) {
	t.Helper()
	m = open(t, s)
	s.play(t, m.home, func() {})
	m.look(t)
	for _, path := range m.sources(t) {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			logs = append(logs, path)
		}
	}
	return m, logs, m.sums(t)
}

// history is what a ledger held while its logs went through trouble, and what
// was proved at the end.
type history struct {
	once                               sync.Once
	told                               bool
	before, cut, rewritten, gone, back sums
	proof                              daemon.ReconcileReport
	doctor                             daemon.DoctorReport
}

// histories by the subject's name, each lived once for the laws that look at it.
var histories sync.Map

// allHistories asks for the history of every subject, which takes many minutes.
const allHistories = "METERBRIDGE_ALL_HISTORIES"

// forEachHistory holds a law against the histories of every third subject, of all
// where the variable says so; -short takes fewer.
func forEachHistory(t *testing.T, law func(t *testing.T, h *history)) {
	every := 3
	switch {
	case os.Getenv(allHistories) != "":
		every = 1
	case testing.Short():
		every = 8
	}
	for i, s := range subjects(t) {
		if i%every != 0 {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			v, _ := histories.LoadOrStore(s.name, &history{})
			h := v.(*history)
			h.once.Do(func() { h.live(t, s) })
			if !h.told {
				t.Fatal("the subject could not be read")
			}
			law(t, h)
		})
	}
}

// live cuts every log in place, replaces it by a shorter one, and takes
// everything away and back.
func (h *history) live(t *testing.T, s *subject) {
	t.Helper()
	m, logs, before := standing(t, s)
	defer m.Close()
	m.prove(t)
	h.before = before
	whole := map[string][]byte{}
	for _, path := range logs {
		content, err := os.ReadFile(path)
		must(t, err)
		whole[path] = content
		must(t, os.Truncate(path, int64(len(content)/2)))
	}
	m.look(t)
	h.cut = m.sums(t)
	for path, content := range whole {
		replace(t, path, content[:bytes.IndexByte(content, '\n')+1])
	}
	m.look(t)
	h.rewritten = m.sums(t)
	for path, content := range whole {
		replace(t, path, content)
	}
	h.leave(t, m)
	h.proof = m.prove(t)
	var err error
	h.doctor, err = m.Doctor(t.Context(), time.UTC)
	must(t, err)
	h.told = true
}

// leave takes everything in the home away and back.
func (h *history) leave(t *testing.T, m *meter) {
	t.Helper()
	aside := t.TempDir()
	entries, err := os.ReadDir(m.home)
	must(t, err)
	for _, e := range entries {
		must(t, os.Rename(filepath.Join(m.home, e.Name()), filepath.Join(aside, e.Name())))
	}
	m.look(t)
	h.gone = m.sums(t)
	for _, e := range entries {
		must(t, os.Rename(filepath.Join(aside, e.Name()), filepath.Join(m.home, e.Name())))
	}
	m.look(t)
	h.back = m.sums(t)
}

// I-3: duplicates within a file first, then across files. Whichever file is read
// first, a message that several hold counts once.
func TestInvariant_I03_FilesInAnyOrderGiveTheSameSums(t *testing.T) {
	forEachSubject(t, 25, func(t *testing.T, f *facts) int {
		shared := 0
		for _, records := range f.raw.records {
			files := map[string]bool{}
			for _, r := range records {
				files[r.file] = true
			}
			if len(files) > 1 {
				shared++
			}
		}
		if shared == 0 {
			return 0
		}
		m, logs, want := standing(t, f.subject)
		defer m.Close()
		for _, way := range []string{"forwards", "backwards"} {
			other := openAt(t, f.subject, m.home, t.TempDir())
			returnInParts(t, logs, func() { other.look(t) })
			want.same(t, "the files one after another, "+way, other.sums(t))
			holds(t, way, other.prove(t))
			must(t, other.Close())
			slices.Reverse(logs)
		}
		return shared
	})
}

// returnInParts takes the logs away and brings them back in at most four parts.
func returnInParts(t *testing.T, logs []string, look func()) {
	t.Helper()
	away := t.TempDir()
	for i, path := range logs {
		for _, end := range []string{"", "-wal", "-shm"} {
			if err := os.Rename(path+end, filepath.Join(away, fmt.Sprint(i, end))); end == "" {
				must(t, err)
			}
		}
	}
	for part := range slices.Chunk(slices.Collect(indices(len(logs))), (len(logs)+3)/4) {
		for _, i := range part {
			for _, end := range []string{"", "-wal", "-shm"} {
				if err := os.Rename(filepath.Join(away, fmt.Sprint(i, end)), logs[i]+end); end == "" {
					must(t, err)
				}
			}
		}
		look()
	}
}

func indices(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

// I-5: walk recursively. A walk that knows nothing of harnesses finds no log with
// usage that the ledger does not know, and depth does not matter.
func TestInvariant_I05_FoldersAreWalkedToTheGround(t *testing.T) {
	forEachSubject(t, 100, func(t *testing.T, f *facts) int {
		for _, path := range f.overlooked {
			t.Errorf("%s has usage and was not read", path)
		}
		return 1
	})
	t.Run("depth", func(t *testing.T) {
		m := open(t, plainSubject("depth"))
		defer m.Close()
		dir := filepath.Join(m.home, ".claude/projects/-srv-demo")
		writeLog(t, filepath.Join(dir, "S.jsonl"), claudeRecord("S", "msg_depth_000000", "2026-10-05T08:00:00Z", 1, 0))
		dir = filepath.Join(dir, "S", "subagents")
		for depth := range 9 {
			line := claudeRecord("S", fmt.Sprintf("msg_depth_%06d", depth+1), "2026-10-05T08:00:01Z", 1, 0)
			agent := fmt.Sprintf("a%d", depth)
			line = strings.Replace(line, `"isSidechain":false`, `"isSidechain":true,"agentId":"`+agent+`"`, 1)
			writeLog(t, filepath.Join(dir, "agent-"+agent+".jsonl"), line)
			dir = filepath.Join(dir, fmt.Sprintf("deeper-%d", depth))
		}
		m.look(t)
		r := m.usage(t, "session")
		if len(r.Rows) != 1 || r.Totals.Requests != 10 || r.Rows[0].Session.Subagents != 9 {
			t.Errorf("%d sessions, %d requests: want one with 10, of 9 sub-agents", len(r.Rows), r.Totals.Requests)
		}
	})
}

// overlooked are the logs below home that hold usage and are no source. Where
// harnesses keep logs is told by folders and endings alone.
func overlooked(t *testing.T, home string, getenv func(string) string, sources []string) []string {
	t.Helper()
	known := map[string]bool{}
	for _, path := range sources {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			known[real] = true
		}
	}
	var out []string
	for _, root := range inForce(home, getenv) {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || known[path] || !keepsUsage(path) {
				return err
			}
			content, err := os.ReadFile(path)
			l := newRawLogs()
			if l.lines(path, content); len(l.records)+len(l.counters) > 0 {
				out = append(out, path)
			}
			return err
		})
		must(t, err)
	}
	return out
}

// inForce are the folders that the harnesses' variables let hold.
func inForce(home string, getenv func(string) string) []string {
	var out []string
	for _, h := range all.Harnesses() {
		for _, r := range h.Roots(harnesses.Env{Home: home, OS: runtime.GOOS, Getenv: getenv}) {
			if real, err := filepath.EvalSymlinks(r.Path); err == nil {
				out = append(out, real)
			}
		}
	}
	return out
}

// keepsUsage tells a log by its name. Results of tools and the heads of resumed
// sessions lie beside transcripts and only repeat.
func keepsUsage(path string) bool {
	slashed, name := filepath.ToSlash(path), filepath.Base(path)
	switch {
	case filepath.Ext(path) != ".jsonl", name == "resume-head.jsonl", strings.Contains(slashed, "/tool-results/"):
		return false
	}
	return strings.Contains(slashed, "/projects/") || strings.HasPrefix(name, "rollout-") && strings.Contains(slashed, "sessions/")
}

// plainSubject is a home that a test fills by hand.
func plainSubject(name string) *subject {
	return &subject{name: name, env: func(string) func(string) string { return func(string) string { return "" } }}
}

// claudeRecord is one finished record of a request.
func claudeRecord(session, message, at string, output, cacheRead int) string {
	return fmt.Sprintf(`{"type":"assistant","isSidechain":false,"sessionId":%q,"cwd":"/srv/demo","uuid":"u-%s-%d","timestamp":%q,"message":{"id":%q,`+
		`"model":"claude-sonnet-4-5","role":"assistant","content":[],"usage":{"input_tokens":0,"output_tokens":%d,"cache_read_input_tokens":%d}}}`+"\n",
		session, message, output, at, message, output, cacheRead)
}

func writeLog(t *testing.T, path string, lines ...string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(strings.Join(lines, "")), 0o644))
}

// I-7: sources rewrite themselves; the past never falls.
func TestInvariant_I07_RewrittenLogsLowerNothing(t *testing.T) {
	forEachHistory(t, func(t *testing.T, h *history) {
		h.before.same(t, "every log cut to half", h.cut)
		h.before.same(t, "every log written anew with its first line", h.rewritten)
		holds(t, "in the end", h.proof)
	})
}

// The finished record counts as a whole, so a ledger can fall: by more than two
// percent of a month that is a warning, with harness, machine and month.
func TestInvariant_I07_AMonthThatFallsIsToldOf(t *testing.T) {
	for _, tt := range []struct {
		name   string
		read   int
		warned bool
	}{{"by one percent", 9900, false}, {"by three percent", 9700, true}} {
		t.Run(tt.name, func(t *testing.T) {
			m, path := fallingMonth(t, tt.read)
			defer m.Close()
			r := m.prove(t)
			if warned := len(r.Warnings) > 0; warned != tt.warned || !r.OK {
				t.Errorf("%s: ok %v, warnings %q; want one: %v", path, r.OK, r.Warnings, tt.warned)
			}
			for _, w := range r.Warnings {
				if !strings.HasPrefix(w, "claude-code on this machine: 2026-10 fell by ") {
					t.Errorf("warning %q names not harness, machine and month", w)
				}
			}
		})
	}
}

// fallingMonth is a ledger whose October of 10,000 tokens and one becomes one of
// read tokens and two, after a proof.
func fallingMonth(t *testing.T, read int) (*meter, string) {
	t.Helper()
	m := open(t, plainSubject("falling"))
	path := filepath.Join(m.home, ".claude/projects/-srv-demo/S.jsonl")
	writeLog(t, path, claudeRecord("S", "msg_october_0001", "2026-10-05T08:00:00Z", 1, 10_000))
	m.look(t)
	holds(t, "at first", m.prove(t))
	appendTo(t, path, []byte(claudeRecord("S", "msg_october_0001", "2026-10-05T08:00:09Z", 2, read)))
	m.look(t)
	return m, path
}

// I-8: counters are scoped by month. A month that fell is told of although the
// total of all time rose, and the cells are the months of the reports.
func TestInvariant_I08_CountersAreByMonth(t *testing.T) {
	t.Run("hidden fall", func(t *testing.T) {
		m, path := fallingMonth(t, 5000)
		defer m.Close()
		appendTo(t, path, []byte(claudeRecord("S", "msg_november_001", "2026-11-05T08:00:00Z", 1, 900_000)))
		m.look(t)
		r := m.prove(t)
		if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "2026-10 fell by 50.0 %") {
			t.Errorf("warnings %q, want one of October; the total rose to %d", r.Warnings, r.Totals.CacheReadTokens)
		}
	})
	forEachSubject(t, 150, func(t *testing.T, f *facts) int {
		got, want := map[string]int64{}, map[string]int64{}
		for _, c := range f.reconcile.Cells {
			got[c.Month] += c.InputTokens + c.OutputTokens + c.CacheReadTokens + c.CacheWriteTokens
		}
		for _, r := range f.usage["month"].Rows {
			// A month may have prompts and no request: it has no cell.
			if r.Requests > 0 || r.TotalTokens != nil {
				want[r.Key] = *cmp.Or(r.TotalTokens, new(int64))
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("months of reconcile %v, of usage %v", got, want)
		}
		return len(want)
	})
}

// I-9: absence is no observation. Logs and their folders go; nothing falls, and
// when they are back nothing counts twice or is called vanished.
func TestInvariant_I09_LogsThatAreGoneLowerNothing(t *testing.T) {
	forEachHistory(t, func(t *testing.T, h *history) {
		h.before.same(t, "everything is gone", h.gone)
		h.before.same(t, "everything is back", h.back)
		holds(t, "in the end", h.proof)
		for _, p := range h.doctor.Places {
			if p.Vanished > 0 {
				t.Errorf("%s: %d requests are called vanished although their logs are back", p.Harness, p.Vanished)
			}
		}
	})
}
