package messagestore

import (
	"github.com/cespare/xxhash/v2"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/walk"
)

// documentParser reads one file of the JSON layouts: a session, or a message
// with the files of its parts.
type documentParser struct {
	scribe
	layout layout
	files  siblings
}

func newDocument(p Product, k *known, o harnesses.Options) *documentParser {
	l := locate(o.Rel)
	root := o.Path[:max(0, len(o.Path)-len(o.Rel))]
	return &documentParser{
		scribe: scribe{harness: p.ID, trace: o.Trace},
		layout: l, files: siblings{fsys: o.Siblings, layout: l, root: root, known: k},
	}
}

// Document reads a session or a message.
func (d *documentParser) Document(content []byte, out *meterbridge.Batch) {
	d.out = out
	at := meterbridge.Place{Line: 1, Hash: xxhash.Sum64(content)}
	var err error
	if d.layout.kind == kindSession {
		err = d.session(content)
	} else {
		err = d.record(content, at)
	}
	if err != nil {
		d.problem(at, "malformed-json", "a "+d.layout.kind+" is "+err.Error())
	}
}

func (d *documentParser) session(content []byte) error {
	s, err := decodeSession(content)
	if err != nil {
		return err
	}
	if s.id == "" {
		s.id = d.layout.id
	}
	d.out.Sessions = append(d.out.Sessions, s.fact(d.harness))
	return nil
}

func (d *documentParser) record(content []byte, at meterbridge.Place) error {
	m, err := decode(content, nil)
	if err != nil {
		return err
	}
	if m.id == "" {
		m.id = d.layout.id
	}
	if m.session == "" {
		m.session = d.layout.session
	}
	if m.role != "user" && m.role != "assistant" {
		return nil
	}
	p := &m.parts
	d.files.addParts(&m, p)
	in := d.conversation(&m, p)
	original := d.files.original(&m, in)
	if original != nil && in.parent == "" && d.files.lastCopy(&m, in) {
		d.out.Sessions = append(d.out.Sessions, meterbridge.Session{
			Harness: d.harness, ID: in.id, Parent: original.session, Relation: meterbridge.Fork,
		})
	}
	d.message(&m, p, in, at, 0, original)
	d.writeReply(&m, p, original)
	return nil
}

// conversation looks the session up where something depends on it: a prompt on
// its parent, a message that may be a copy or has no time on its begin.
func (d *documentParser) conversation(m *message, p *parts) *conversation {
	if m.role == "user" && p.typed || mayBeCopy(m) || m.end(0).IsZero() {
		return d.files.session(m.session)
	}
	return &conversation{id: m.session}
}

// writeReply writes down the text of a finished answer.
func (d *documentParser) writeReply(m *message, p *parts, original *message) {
	raw, at, ok := d.reply(m, p)
	if !ok || original != nil || m.finish == "tool-calls" {
		return
	}
	d.out.Sessions = append(d.out.Sessions, meterbridge.Session{
		Harness: d.harness, ID: m.session, LastReply: walk.Unquote(raw, 0), LastReplyAt: millis(at),
	})
}

// decodeSession reads a session's file.
func decodeSession(data []byte) (session, error) {
	var s session
	c := document(data)
	if c.Peek() != '{' {
		return s, errMalformed
	}
	eachMember(&c, func(key string) bool {
		switch key {
		case "id":
			s.id = unquoted(&c)
		case "projectID":
			s.project = unquoted(&c)
		case "parentID":
			s.parent = unquoted(&c)
		case "agent":
			s.agent = unquoted(&c)
		case "directory":
			s.directory = unquoted(&c)
		case "title":
			s.title = unquoted(&c)
		case "version":
			s.version = unquoted(&c)
		case "time":
			var m message
			m.readTime(&c)
			s.created = m.created
		default:
			return false
		}
		return true
	})
	if !c.End() {
		return session{}, errMalformed
	}
	return s, nil
}
