package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"meterbridge/internal/corpus"
)

// compareCorpus generates logs and holds every tool against their truth.
func (s settings) compareCorpus(out io.Writer, tools []tool) error {
	size, err := corpus.ParseSize(s.corpus)
	if err != nil {
		return err
	}
	home := filepath.Join(s.dir, "corpus-"+s.corpus)
	if err := os.RemoveAll(home); err != nil {
		return err
	}
	truth, err := corpus.Generate(corpus.Options{Out: home, Size: size})
	if err != nil {
		return err
	}
	env := []string{"HOME=" + home, "METERBRIDGE_HOME=" + filepath.Join(s.dir, "corpus-ledger"), "TZ=UTC", "PATH=" + os.Getenv("PATH")}
	fmt.Fprintf(out, "\n### A generated corpus of %s\n\n", s.corpus)
	fmt.Fprintln(out, "| harness | program | input | output | cache read | cache write | days that differ |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|---|")
	for _, part := range []struct{ name, id string }{{"claude", "claude-code"}, {"codex", "codex-cli"}, {"opencode", "opencode"}} {
		p := truth[part.name]
		t := p.Totals
		fmt.Fprintf(out, "| %s | truth | %d | %d | %d | %d | |\n", part.id, t.Input, t.Output, t.CacheRead, t.CacheWrite)
		for _, tool := range tools {
			if err := comparePart(out, tool, env, home, part.id, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// comparePart asks about one harness. Ours reports all at once, so it is asked in
// a home of its own that holds only that harness's logs.
func comparePart(out io.Writer, t tool, env []string, home, id string, p *corpus.Part) error {
	if _, own := t.(ours); own {
		var err error
		if env, err = aloneIn(env, home, id); err != nil {
			return err
		}
	}
	a, err := t.ask(env, query{harness: id, by: "day", zone: "UTC"})
	if errors.Is(err, errNoReport) {
		return nil
	}
	if err != nil {
		fmt.Fprintf(out, "| | %s | stops: %v | | | | |\n", t.name(), err)
		return nil
	}
	differ := 0
	for day, want := range p.ByDay {
		if !matches(a[day], want) {
			differ++
		}
	}
	for day := range a {
		if day != "" && p.ByDay[day] == nil {
			differ++
		}
	}
	got, w := a[""], p.Totals
	fmt.Fprintf(out, "| | %s | %s | %s | %s | %s | %d of %d |\n", t.name(), against(got.input, w.Input, 0), against(got.output, w.Output, w.Reasoning),
		against(got.cacheRead, w.CacheRead, 0), against(got.cacheWrite, w.CacheWrite, 0), differ, len(p.ByDay))
	return nil
}

// aloneIn is the environment of a home that holds one harness's logs.
func aloneIn(env []string, home, id string) ([]string, error) {
	folder := map[string]string{"claude-code": ".claude", "codex-cli": ".codex", "opencode": ".local"}[id]
	alone := home + "-" + id
	if err := os.RemoveAll(alone); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(alone, 0o755); err != nil {
		return nil, err
	}
	if err := os.Symlink(filepath.Join(home, folder), filepath.Join(alone, folder)); err != nil {
		return nil, err
	}
	return append(env[:len(env):len(env)], "HOME="+alone, "METERBRIDGE_HOME="+alone+"/ledger"), nil
}

func matches(got *sums, want *corpus.Tok) bool {
	return got != nil && got.input == want.Input && (got.output == want.Output || got.output == want.Output-want.Reasoning) &&
		got.cacheRead == want.CacheRead && got.cacheWrite == want.CacheWrite
}

// against shows a sum beside the right one; without is what a convention may leave out.
func against(got, want, without int64) string {
	switch {
	case got == want:
		return "right"
	case without > 0 && got == want-without:
		return "right, shown without reasoning"
	}
	return fmt.Sprintf("%d (%+.2f %%)", got, 100*float64(got-want)/float64(max(want, 1)))
}
