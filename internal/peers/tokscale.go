package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const tokscaleVersion = "1.4.3"

// tokscale is asked through its core, the part that reads logs, in Node; its own
// command line needs another runtime and the network for prices.
type tokscale struct{ dir string }

//go:embed tokscale.cjs
var tokscaleScript []byte //nolint:gochecknoglobals // embedded text

func (s settings) installTokscale() (tool, error) {
	dir := s.tokscale
	switch dir {
	case "off":
		return nil, fmt.Errorf("tokscale: switched off")
	case "auto":
		dir = filepath.Join(s.dir, "npm")
		if err := install(dir, "@tokscale/core@"+tokscaleVersion); err != nil {
			return nil, fmt.Errorf("tokscale: %w", err)
		}
	}
	return tokscale{dir}, os.WriteFile(filepath.Join(dir, "tokscale.cjs"), tokscaleScript, 0o644)
}

func (t tokscale) name() string { return "tokscale " + tokscaleVersion }

func (t tokscale) priced() bool { return false }

func (t tokscale) ask(env []string, q query) (answer, error) {
	if q.session != "" || q.by == "week" {
		return nil, errNoReport
	}
	if q.zone != "" {
		env = append(env, "TZ="+q.zone) // it has no flag for the zone
	}
	source := map[string]string{"claude-code": "claude", "codex-cli": "codex", "opencode": "opencode", everyHarness: "claude,codex,opencode"}[q.harness]
	out, peak, err := output(env, "node", filepath.Join(t.dir, "tokscale.cjs"), source, q.since, q.until)
	if err != nil {
		return nil, err
	}
	var messages []struct {
		ModelID, Date                                   string
		Input, Output, CacheRead, CacheWrite, Reasoning int64
	}
	if err := json.Unmarshal(out, &messages); err != nil {
		return nil, fmt.Errorf("messages: %w", err)
	}
	a := answer{}
	a.at("").peakMiB = peak
	for _, m := range messages {
		keys := []string{""}
		switch q.by {
		case "day":
			keys = append(keys, m.Date)
		case "month":
			keys = append(keys, m.Date[:strings.LastIndexByte(m.Date, '-')])
		case "model":
			keys = append(keys, m.ModelID)
		}
		for _, k := range keys {
			s := a.at(k)
			s.input += m.Input
			s.output += m.Output
			s.cacheRead += m.CacheRead
			s.cacheWrite += m.CacheWrite
			s.reasoning = max(0, s.reasoning) + m.Reasoning
		}
	}
	return a, nil
}
