package analytics

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"meterbridge"
)

// ErrReport means that the bytes are no report that compare can read.
var ErrReport = errors.New("not a usage report of ccusage")

// peerReport is a report of ccusage (versions 18 to 20), one section of it.
type peerReport struct {
	// kind is "daily", "weekly", "monthly", "session" or "blocks".
	kind string
	rows []peerRow
	// agents are the harnesses that the report names, in its own words.
	agents []string
	// sections are the further sections of the same file.
	sections []string
}

// peerRow is one row: Key is a day, a week's first day, a month, a session id
// or a block's start.
type peerRow struct {
	key   string
	agent string
	spent
	models []peerModel
	// until is a block's end.
	until time.Time
	from  time.Time
}

type peerModel struct {
	name string
	spent
}

// classes are the four token classes that both sides count.
type classes struct{ in, out, read, write int64 }

func (c classes) plus(d classes) classes {
	return classes{c.in + d.in, c.out + d.out, c.read + d.read, c.write + d.write}
}

func (c classes) minus(d classes) classes {
	return classes{c.in - d.in, c.out - d.out, c.read - d.read, c.write - d.write}
}

func (c classes) total() int64 { return c.in + c.out + c.read + c.write }

func (c classes) zero() bool { return c == classes{} }

// spent is what a row or a model of either side spent.
type spent struct {
	classes
	reasoning int64
	cost      meterbridge.NullPico
}

func (s spent) plus(o spent) spent {
	s.classes, s.reasoning = s.classes.plus(o.classes), s.reasoning+o.reasoning
	if o.cost.OK {
		s.cost = meterbridge.SomePico(s.cost.Amount.Add(o.cost.Amount))
	}
	return s
}

type peerKind struct{ field, kind string }

// peerKinds are the names of sections, in the order in which one is taken.
func peerKinds() []peerKind {
	return []peerKind{
		{"daily", "daily"}, {"projects", "daily"}, {"weekly", "weekly"}, {"monthly", "monthly"}, {"sessions", "session"}, {"session", "session"}, {"blocks", "blocks"},
	}
}

// readPeer reads a report. Unknown fields are ignored: versions add some.
func readPeer(text []byte) (peerReport, error) {
	var doc map[string]json.RawMessage
	if err := json.Unmarshal(bytes.TrimPrefix(text, []byte("\ufeff")), &doc); err != nil {
		return peerReport{}, unreadable(err)
	}
	var p peerReport
	for _, k := range peerKinds() {
		raw, ok := doc[k.field]
		if !ok {
			continue
		}
		if p.kind != "" {
			p.sections = append(p.sections, k.field)
			continue
		}
		rows, err := peerRowsOf(k.field, raw)
		if err != nil {
			return p, unreadable(err)
		}
		p.kind = k.kind
		if err := p.take(rows); err != nil {
			return p, unreadable(err)
		}
	}
	if p.kind == "" {
		return p, unreadable(errors.New("no daily, weekly, monthly, session or blocks in it"))
	}
	return p, nil
}

func unreadable(err error) error {
	return &HintError{Err: fmt.Errorf("%w: %w", ErrReport, err), Hint: "make one with `ccusage daily --json > FILE` (or weekly, monthly, session, blocks)"}
}

// rawRow holds the fields of all versions: the unified report has period and
// agent, that of Codex costUSD, models as an object and, before version 20,
// cachedInputTokens as a part of inputTokens.
type rawRow struct {
	Date, Week, Month, Period string
	SessionID                 string
	StartTime, EndTime        string
	IsGap                     bool
	Agent                     string
	Metadata                  struct{ Agents []string }
	TokenCounts               *rawTokens
	ModelBreakdowns           []rawModel
	Models                    json.RawMessage
	rawTokens
	rawCost
}

type rawModel struct {
	ModelName string
	rawTokens
	rawCost
}

type rawTokens struct {
	InputTokens, OutputTokens, ReasoningOutputTokens int64
	CacheCreationTokens, CacheReadTokens             int64
	CacheCreationInputTokens, CacheReadInputTokens   int64
	CachedInputTokens                                *int64
}

type rawCost struct {
	TotalCost, CostUSD, Cost json.Number
}

func (t rawTokens) classes() classes {
	c := classes{
		in: t.InputTokens, out: t.OutputTokens,
		read: t.CacheReadTokens + t.CacheReadInputTokens, write: t.CacheCreationTokens + t.CacheCreationInputTokens,
	}
	if t.CachedInputTokens != nil && c.read == 0 {
		c.read = *t.CachedInputTokens
		c.in = max(0, c.in-c.read)
	}
	return c
}

func (c rawCost) amount() meterbridge.NullPico {
	for _, n := range []json.Number{c.TotalCost, c.CostUSD, c.Cost} {
		if n == "" {
			continue
		}
		if p, err := meterbridge.ParseUSD(n.String()); err == nil {
			return meterbridge.SomePico(p)
		}
	}
	return meterbridge.NullPico{}
}

func (t rawTokens) spent(c rawCost) spent {
	return spent{classes: t.classes(), reasoning: t.ReasoningOutputTokens, cost: c.amount()}
}

// peerRowsOf reads the rows of a section; projects are lists of rows by name.
func peerRowsOf(field string, raw json.RawMessage) (rows []rawRow, err error) {
	if field != "projects" {
		err = json.Unmarshal(raw, &rows)
		return rows, err
	}
	var projects map[string][]rawRow
	if err = json.Unmarshal(raw, &projects); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(projects)) {
		rows = append(rows, projects[name]...)
	}
	return rows, nil
}

func (p *peerReport) take(rows []rawRow) error {
	at := map[string]int{}
	for _, raw := range rows {
		if raw.IsGap {
			continue
		}
		row, err := p.row(raw)
		if err != nil {
			return err
		}
		p.name(raw.Agent)
		for _, a := range raw.Metadata.Agents {
			p.name(a)
		}
		key := row.agent + "\x00" + row.key
		i, ok := at[key]
		if !ok {
			i = len(p.rows)
			at[key] = i
			p.rows = append(p.rows, peerRow{key: row.key, agent: row.agent, from: row.from, until: row.until})
		}
		p.rows[i].spent = p.rows[i].spent.plus(row.spent)
		p.rows[i].models = joinModels(p.rows[i].models, row.models)
	}
	return nil
}

// name notes a harness that the report names; "all" is none.
func (p *peerReport) name(agent string) {
	if agent != "" && agent != "all" && !slices.Contains(p.agents, agent) {
		p.agents = append(p.agents, agent)
	}
}

func (p *peerReport) row(raw rawRow) (row peerRow, err error) {
	if raw.TokenCounts != nil {
		raw.rawTokens = *raw.TokenCounts
	}
	row = peerRow{agent: raw.Agent, spent: raw.spent(raw.rawCost)}
	if row.agent == "all" {
		row.agent = ""
	}
	if row.models, err = raw.models(); err != nil {
		return row, err
	}
	switch p.kind {
	case "session":
		row.key = firstOf(raw.SessionID, raw.Period)
	case "blocks":
		if row.from, err = time.Parse(time.RFC3339, raw.StartTime); err == nil {
			row.until, err = time.Parse(time.RFC3339, raw.EndTime)
		}
		row.key = raw.StartTime
	default:
		row.key, err = periodKey(firstOf(raw.Date, raw.Week, raw.Month, raw.Period))
	}
	if err == nil && row.key == "" {
		err = errors.New("a row has no key")
	}
	return row, err
}

// models are the row's models: a list, or an object by name.
func (raw rawRow) models() ([]peerModel, error) {
	var list []peerModel
	for _, m := range raw.ModelBreakdowns {
		list = joinModels(list, []peerModel{{name: m.ModelName, spent: m.spent(m.rawCost)}})
	}
	if !bytes.HasPrefix(bytes.TrimSpace(raw.Models), []byte("{")) {
		return list, nil
	}
	var byName map[string]rawModel
	if err := json.Unmarshal(raw.Models, &byName); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		m := byName[name]
		list = joinModels(list, []peerModel{{name: name, spent: m.spent(m.rawCost)}})
	}
	return list, nil
}

func joinModels(list, more []peerModel) []peerModel {
	for _, m := range more {
		i := slices.IndexFunc(list, func(o peerModel) bool { return o.name == m.name })
		if i < 0 {
			list = append(list, m)
			continue
		}
		list[i].spent = list[i].spent.plus(m.spent)
	}
	return list
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// periodKey is a day as 2006-01-02 or a month as 2006-01; older versions of
// ccusage write days out.
func periodKey(s string) (string, error) {
	for _, layout := range []string{"2006-01", time.DateOnly, "20060102", "Jan 02, 2006", "Jan 2, 2006"} {
		if t, err := time.Parse(layout, s); err == nil {
			if layout == "2006-01" {
				return s, nil
			}
			return t.Format(time.DateOnly), nil
		}
	}
	return "", fmt.Errorf("no day: %.40q", strings.ToValidUTF8(s, "?"))
}
