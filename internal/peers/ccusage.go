package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// ccusageVersion is the last one whose native program for Linux is on npm.
const ccusageVersion = "20.0.24"

type ccusage struct{ program string }

func (s settings) installCcusage() (tool, error) {
	switch s.ccusage {
	case "off":
		return nil, fmt.Errorf("ccusage: switched off")
	case "auto":
	default:
		return ccusage{s.ccusage}, nil
	}
	dir := filepath.Join(s.dir, "npm")
	if err := install(dir, "@ccusage/ccusage-linux-x64@"+ccusageVersion); err != nil {
		return nil, fmt.Errorf("ccusage: %w", err)
	}
	program := filepath.Join(dir, "node_modules/@ccusage/ccusage-linux-x64/bin/ccusage")
	return ccusage{program}, os.Chmod(program, 0o755)
}

// install puts packages into a folder of their own; no script of theirs runs.
func install(dir string, packages ...string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	args := append([]string{"install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", dir}, packages...)
	if out, err := exec.Command("npm", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("npm: %w: %.300s", err, out)
	}
	return nil
}

func (c ccusage) name() string { return "ccusage " + ccusageVersion }

func (c ccusage) priced() bool { return true }

// args is the command that answers a query.
func (c ccusage) args(q query) ([]string, error) {
	report, ok := map[string]string{"": "daily", "day": "daily", "week": "weekly", "month": "monthly", "model": "daily"}[q.by]
	if !ok {
		return nil, errNoReport
	}
	source := map[string]string{"claude-code": "claude", "codex-cli": "codex", "opencode": "opencode"}[q.harness]
	if source == "codex" && report == "weekly" {
		return nil, errNoReport
	}
	args := []string{source, report}
	if source == "" {
		args = args[1:]
	}
	if q.session != "" {
		args = []string{source, "session", "--id", q.session}
	}
	args = append(args, "--json", "--offline")
	for flag, value := range map[string]string{"--timezone": q.zone, "--since": plainDay(q.since), "--until": plainDay(q.until)} {
		if value != "" {
			args = append(args, flag, value)
		}
	}
	if report == "weekly" {
		start := q.weekStart
		if start == "" {
			start = "monday"
		}
		args = append(args, "--start-of-week", start)
	}
	if mode := map[string]string{"list": "calculate", "recorded": "display"}[q.cost]; mode != "" && source == "claude" {
		args = append(args, "--mode", mode)
	}
	return args, nil
}

// plainDay is a day as every report takes it.
func plainDay(day string) string { return strings.ReplaceAll(day, "-", "") }

func (c ccusage) ask(env []string, q query) (answer, error) {
	args, err := c.args(q)
	if err != nil {
		return nil, err
	}
	out, peak, err := output(env, c.program, args...)
	if err != nil {
		return nil, err
	}
	var r ccusageReport
	if err := json.Unmarshal(out, &r); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	a := r.answer(q.by)
	a[""].peakMiB = peak
	return a, nil
}

// output runs a program and returns what it printed and the memory that it took,
// in MiB; its complaint is the error.
func output(env []string, program string, args ...string) ([]byte, float64, error) {
	cmd := exec.Command(program, args...)
	cmd.Env = env
	var fault strings.Builder
	cmd.Stderr = &fault
	out, err := cmd.Output()
	if err != nil {
		return out, 0, fmt.Errorf("%w: %.200s", err, strings.TrimSpace(fault.String()))
	}
	peak := 0.0
	if used, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		peak = float64(used.Maxrss) / 1024
	}
	return out, peak, nil
}

// ccusageReport is any of its reports.
type ccusageReport struct {
	Daily, Weekly, Monthly, Entries []ccusageRow
	Totals                          *ccusageRow
	// TotalCost is that of the report of one session.
	TotalCost *float64
}

type ccusageRow struct {
	Date, Week, Month, Period, ModelName, Model string

	InputTokens, OutputTokens, CacheReadTokens, CacheCreationTokens int64
	ReasoningOutputTokens                                           *int64
	// The cost has three names.
	TotalCost, CostUSD, Cost *float64
	UnpricedModels           []string
	MissingPricing           bool
	ModelBreakdowns          []ccusageRow
	Models                   map[string]ccusageRow
}

func (r *ccusageReport) answer(by string) answer {
	a := answer{}
	a.at("")
	rows := append(append(append(r.Daily, r.Weekly...), r.Monthly...), r.Entries...)
	if r.Totals != nil {
		r.Totals.addTo(a.at(""))
	}
	for i := range rows {
		row := &rows[i]
		if r.Totals == nil { // the report of one session has none
			row.addTo(a.at(""))
		}
		if key := row.Date + row.Week + row.Month + row.Period; by != "model" && key != "" {
			row.addTo(a.at(key))
			continue
		}
		for _, m := range row.ModelBreakdowns {
			m.addTo(a.at(m.ModelName))
		}
		for name, m := range row.Models {
			m.addTo(a.at(name))
		}
	}
	if r.Totals == nil && r.TotalCost != nil {
		a[""].microUSD = micro(*r.TotalCost)
	}
	return a
}

func (r *ccusageRow) addTo(s *sums) {
	s.input += r.InputTokens
	s.output += r.OutputTokens
	s.cacheRead += r.CacheReadTokens
	s.cacheWrite += r.CacheCreationTokens
	if r.ReasoningOutputTokens != nil {
		s.reasoning = max(0, s.reasoning) + *r.ReasoningOutputTokens
	}
	for _, c := range []*float64{r.TotalCost, r.CostUSD, r.Cost} {
		if c != nil {
			s.microUSD = max(0, s.microUSD) + micro(*c)
			break
		}
	}
	s.unpriced = s.unpriced || len(r.UnpricedModels) > 0 || r.MissingPricing
}
