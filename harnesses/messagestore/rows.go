package messagestore

import (
	"bytes"
	"context"
	_ "embed" // the statements
	"encoding/json"

	"github.com/cespare/xxhash/v2"

	"meterbridge"
	"meterbridge/harnesses/sqlite"
)

// A part may hold megabytes: what a tool printed, an attached file. Of a part
// longer than wholePart only the first headPart and the last tailPart bytes are
// fetched; they are enough for a tool call and for what is not read at all. What
// they leave open is fetched whole.
const (
	wholePart = 2048
	headPart  = 768
	tailPart  = 256
)

//go:embed sql/parts.sql
var partsSQL string

// addParts reads the parts of a page of messages.
func (r *reader) addParts(ctx context.Context, page []row) error {
	if len(page) == 0 || !r.columns.part.Has("id", "message_id", "data") {
		return nil
	}
	ids := make([]string, len(page))
	for i := range page {
		ids[i] = page[i].id
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	return r.db.Each(ctx, partsSQL, []any{string(list), int64(wholePart), int64(headPart), int64(tailPart)}, func(v sqlite.Row) error {
		i, _ := v.Int(0)
		p := &page[i].parts
		r.told = page[i].told
		if !v.Null(3) && p.addEnds(v.Bytes(1), v.Bytes(2), v.Bytes(3), r.words) {
			return nil
		}
		return r.addPart(ctx, p, v)
	})
}

// addPart reads a part that is needed whole.
func (r *reader) addPart(ctx context.Context, p *parts, v sqlite.Row) error {
	id, data := v.Bytes(1), v.Bytes(2)
	if !v.Null(3) {
		err := r.db.Each(ctx, "SELECT CAST(data AS BLOB) FROM part WHERE id = ?", []any{string(id)}, func(v sqlite.Row) error {
			data = v.Bytes(0)
			return nil
		})
		if err != nil {
			return err
		}
	}
	if err := p.add(id, data, r.words); err != nil {
		return r.tornPart(ctx, id, data, err)
	}
	return nil
}

func (r *reader) tornPart(ctx context.Context, id, data []byte, why error) error {
	at := meterbridge.Place{Hash: xxhash.Sum64(data)}
	err := r.db.Each(ctx, "SELECT rowid FROM part WHERE id = ?", []any{string(id)}, func(v sqlite.Row) error {
		at.Line, _ = v.Int(0)
		return nil
	})
	r.problem(at, "malformed-json", "a part is "+why.Error())
	return err
}

// addEnds reads a part of which only the beginning and the end are there. It
// reports false when they leave open what the part says.
func (p *parts) addEnds(id, head, tail []byte, w words) bool {
	b := block{words: w}
	c := document(head)
	b.read(&c)
	switch b.kind {
	case "":
		return b.typed // a kind that is not read
	case "tool":
		if b.call == "" || b.tool == "" || b.status == "" || !b.readEnd(tail) {
			return false
		}
	default:
		return false
	}
	p.note(id)
	p.take(id, &b)
	return true
}

// readEnd reads the time of a call where it ends the state, and the state the
// part: there the program writes it.
func (b *block) readEnd(tail []byte) bool {
	const name = `"time":`
	i := bytes.LastIndex(tail, []byte(name))
	if i < 0 {
		return false
	}
	var at block
	c := document(tail[i+len(name):])
	at.readTime(&c)
	if c.Err() != nil || at.start == 0 {
		return false
	}
	if !closes(tail[i+len(name)+c.Pos():], 2) {
		return false
	}
	b.start, b.end = at.start, at.end
	return true
}

// closes reports whether rest is the ends of n objects and nothing else.
func closes(rest []byte, n int) bool {
	for _, b := range rest {
		switch b {
		case '}':
			n--
		case ' ', '\t', '\r', '\n':
		default:
			return false
		}
	}
	return n == 0
}
