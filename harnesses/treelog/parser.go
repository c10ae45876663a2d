package treelog

import (
	"bytes"
	"encoding/json"
	"strings"

	"meterbridge"
	"meterbridge/harnesses/walk"
)

// Line implements harnesses.LineParser. A line may hold two entries: some builds
// went on behind a line without its end.
func (p *Parser) Line(line []byte, at meterbridge.Place, out *meterbridge.Batch) {
	p.out, p.at = out, at
	if at.Offset == 0 {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	for line = bytes.TrimSpace(line); len(line) > 0; line = bytes.TrimSpace(line) {
		c := walk.Over(line)
		if !p.e.read(&c) {
			line = p.mend(line)
			continue
		}
		if rest := line[c.Pos():]; len(bytes.TrimSpace(rest)) > 0 && !begins(rest) {
			p.problem("malformed-json", "a line goes on behind its entry")
			break
		}
		line = line[c.Pos():]
		p.entry()
	}
	p.out = nil
}

// begins reports whether another entry follows.
func begins(rest []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(rest), []byte(`{"`)) }

// mend names a line that cannot be read and finds the whole entry at its end, if
// a write was cut off and the program went on behind it.
func (p *Parser) mend(line []byte) (rest []byte) {
	if json.Valid(line) {
		p.problem("wrong-type", "a line is no JSON object")
		return nil
	}
	p.problem("malformed-json", "a line is not valid JSON")
	const name = `{"type":"`
	for n, i := 0, 0; n < mendTries; n++ {
		next := bytes.Index(line[i+1:], []byte(name))
		if next < 0 {
			break
		}
		i += 1 + next
		if bytes.Contains(line[i:], []byte(`"timestamp":"`)) && json.Valid(line[i:]) {
			return line[i:]
		}
	}
	return nil
}

// mendTries is how many places of a torn line are tried for a whole entry.
const mendTries = 16

// Flush implements harnesses.LineParser.
func (p *Parser) Flush(out *meterbridge.Batch) {
	if p.reply == "" {
		return
	}
	out.Sessions = append(out.Sessions, meterbridge.Session{
		Harness: p.dialect.Harness, ID: p.session(), LastReply: p.reply, LastReplyAt: instant(p.replied),
	})
	p.reply = ""
}

// entry reads one entry.
func (p *Parser) entry() {
	e := &p.e
	if p.when = written(e.timestamp); p.when == 0 {
		p.when = e.message.timestamp
	}
	if p.when == 0 {
		p.when = max(p.m.Last, p.m.Made)
	}
	p.copied = p.m.Parent != "" && !p.m.Sub && p.when < p.m.Made
	if e.kind != "session" {
		p.m.Last = p.when
	}
	switch e.kind {
	case "session":
		p.header()
	case "model_change":
		p.inForce(e.provider, e.model)
	case "message":
		p.message()
	case "compaction":
		p.event("compaction", hookWord(e.fromHook))
		p.spend(&e.usage, spending{purpose: "compaction", rule: ruleCompaction, model: p.m.Model, provider: p.m.Provider})
	case "branch_summary":
		p.event("rewind", hookWord(e.fromHook))
		p.spend(&e.usage, spending{purpose: "summary", rule: ruleSummary, model: p.m.Model, provider: p.m.Provider})
	case "reset":
		p.event("rewind", "reset")
	case "usage":
		p.spend(&e.usage, spending{purpose: strings.ReplaceAll(e.usageKind, "_", "-"), rule: ruleEntry, model: e.model, provider: e.provider})
	case "session_info":
		p.emit(meterbridge.Session{Title: e.name, TitleRank: meterbridge.TitleFromUser})
	}
}

func hookWord(fromHook bool) string {
	if fromHook {
		return "extension"
	}
	return ""
}

// header reads the first entry: who the session is and where it came from.
func (p *Parser) header() {
	e := &p.e
	if e.id != "" {
		p.m.Session = e.id
	}
	p.m.Project, p.m.Made = e.cwd, written(e.timestamp)
	s := meterbridge.Session{Project: e.cwd, Title: e.title, TitleRank: meterbridge.TitleFromModel, AgentType: p.origin.AgentType}
	switch parent := SessionOf(e.parent); {
	case p.origin.Relation == meterbridge.SubAgent && p.origin.Parent != "":
		s.Parent, s.Relation = p.origin.Parent, meterbridge.SubAgent
	case parent != "" && parent != p.m.Session:
		s.Parent, s.Relation = parent, meterbridge.Fork
	case p.origin.Parent != "":
		s.Parent, s.Relation = p.origin.Parent, p.origin.Relation
	}
	p.m.Parent, p.m.Sub = s.Parent, s.Relation == meterbridge.SubAgent
	p.emit(s)
}

// SessionOf is the id of the session whose file is named: the name is
// "<time>_<id>.jsonl", on any system. What is no such name is an id itself.
func SessionOf(file string) string {
	name := strings.TrimSuffix(file[strings.LastIndexAny(file, `/\`)+1:], ".jsonl")
	if stamp, id, ok := strings.Cut(name, "_"); ok && id != "" && stamped(stamp) {
		return id
	}
	return name
}

// stamped reports whether a name begins as 2006-01-02T15 does.
func stamped(name string) bool {
	return len(name) >= 13 && name[:2] == "20" && name[4] == '-' && name[7] == '-' && name[10] == 'T'
}

func (p *Parser) session() string {
	if p.m.Session != "" {
		return p.m.Session
	}
	return p.origin.Session
}

func (p *Parser) inForce(provider, model string) {
	if model != "" {
		p.m.Provider, p.m.Model = provider, model
	}
}

func (p *Parser) emit(s meterbridge.Session) {
	s.Harness, s.ID = p.dialect.Harness, p.session()
	if s.Title == "" {
		s.TitleRank = meterbridge.NoTitle
	}
	p.out.Sessions = append(p.out.Sessions, s)
}

// event emits an event. What a fork copied is left to the log it comes from.
func (p *Parser) event(kind, detail string) {
	if p.copied || p.when == 0 {
		return
	}
	p.out.Events = append(p.out.Events, meterbridge.Event{
		Harness: p.dialect.Harness, Session: p.session(), At: instant(p.when), Kind: kind, Detail: detail, Place: p.at,
	})
}

func (p *Parser) problem(reason, detail string) {
	p.out.Problems = append(p.out.Problems, meterbridge.Problem{Reason: reason, Detail: detail, Place: p.at})
}
