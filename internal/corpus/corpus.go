// Package corpus writes synthetic logs of Claude Code, Codex and OpenCode of any
// size, with the traps of real logs, and the exact truth about them. Tests and
// the benchmark use it; it must import nothing of the project, so that the
// truth owes nothing to the code that it judges.
package corpus

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Options of a corpus. The zero value but for Out and Size is valid.
type Options struct {
	// Out is the folder to write, to be used as HOME.
	Out string
	// Size is the number of bytes, about.
	Size int64
	// Seed: the same size and seed give the same logs.
	Seed uint64
	// Days covered, 0 for 120; End is the last day (UTC), zero for 2026-11-29.
	Days int
	End  time.Time
	// Within has every session of a day begin within that time from eight o'clock on;
	// 0 for 13 hours.
	Within time.Duration
	// Mix is the percentage of bytes of Claude Code, Codex and OpenCode; zero for 70, 22, 8.
	Mix [3]int64
	// Projects is the number of working directories, 0 for 40.
	Projects int
}

// Truth is what an exact reader must find, by part: "claude", "codex", "opencode".
type Truth map[string]*Part

type fault struct{ err error }

// must turns an error of the file system into the error of Generate.
func must(err error) {
	if err != nil {
		panic(fault{err})
	}
}

// Generate writes the corpus and truth.json beside it.
func Generate(o Options) (truth Truth, err error) {
	defer func() {
		if f, ok := recover().(fault); ok {
			err = fmt.Errorf("write corpus: %w", f.err)
		}
	}()
	o = o.withDefaults()
	truth = Truth{}
	for i, name := range []string{"claude", "codex", "opencode"} {
		truth[name] = o.part(i, name)
	}
	text, err := json.MarshalIndent(truth, "", " ")
	must(err)
	must(os.WriteFile(filepath.Join(o.Out, "truth.json"), text, 0o644))
	return truth, nil
}

func (o Options) withDefaults() Options {
	if o.Days == 0 {
		o.Days = 120
	}
	if o.End.IsZero() {
		o.End = time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC)
	}
	if o.Mix == [3]int64{} {
		o.Mix = [3]int64{70, 22, 8}
	}
	if o.Within == 0 {
		o.Within = 13 * time.Hour
	}
	if o.Projects == 0 {
		o.Projects = 40
	}
	if o.Seed == 0 {
		o.Seed = 1
	}
	return o
}

func (o Options) part(i int, name string) *Part {
	r := rand.New(rand.NewPCG(o.Seed, uint64(i)+1))
	g := &gen{r: r, out: o.Out, start: o.End.AddDate(0, 0, 1-o.Days), days: o.Days, within: o.Within}
	g.p = makePool(r, 4<<20)
	g.b64 = make([]byte, 2<<20)
	for k := range g.b64 {
		g.b64[k] = b64[r.IntN(64)]
	}
	projects := g.projects(o.Projects)
	h := newPart()
	target := o.Size * o.Mix[i] / 100
	switch {
	case target == 0:
	case name == "claude":
		g.claude(h, target, projects)
	case name == "codex":
		g.codex(h, target, projects)
	default:
		g.opencode(h, target, projects)
	}
	return h
}

// ParseSize reads "100MB", "1GB" or a number of bytes; MB are 10^6 bytes.
func ParseSize(text string) (int64, error) {
	factor, number := int64(1), strings.ToUpper(text)
	for unit, n := range map[string]int64{"KB": 1e3, "MB": 1e6, "GB": 1e9} {
		if rest, ok := strings.CutSuffix(number, unit); ok {
			factor, number = n, rest
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n <= 0 {
		return 0, fmt.Errorf("size %q is not like 100MB", text)
	}
	return n * factor, nil
}
