package analytics

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// byBreakdown is the `by` of the rows inside a row: their key is the model.
const byBreakdown = "breakdown"

// instantLayout is RFC 3339 with milliseconds.
const instantLayout = "2006-01-02T15:04:05.000Z07:00"

// MarshalJSON writes the key first, under the report's own name for it.
func (r UsageRow) MarshalJSON() ([]byte, error) {
	var o object
	if r.by == byBreakdown {
		o.field("model", textOrNil(r.Key))
	} else {
		o.field(r.by, textOrNil(r.Key))
	}
	if r.by != "harness" {
		o.field("harness", r.Harness)
	}
	if s := r.Session; s != nil {
		o.field("title", s.Title)
		o.field("project", s.Project)
		o.field("parentSession", s.ParentSession)
		o.field("firstAt", s.FirstAt.UTC().Format(instantLayout))
		o.field("lastAt", s.LastAt.UTC().Format(instantLayout))
		o.field("subagents", s.Subagents)
	}
	if b := r.Block; b != nil {
		o.field("endAt", b.EndAt.Format(time.RFC3339))
		o.field("active", b.Active)
		o.field("resetSource", b.ResetSource)
	}
	o.fields(r.Numbers)
	o.field("models", some(r.Models))
	if r.Breakdown != nil {
		o.field("breakdown", r.Breakdown)
	}
	return o.end()
}

// object writes a JSON object field by field, in the order of the calls.
type object struct {
	b   bytes.Buffer
	err error
}

func (o *object) field(name string, value any) {
	text, err := json.Marshal(value)
	if err != nil && o.err == nil {
		o.err = fmt.Errorf("write %s: %w", name, err)
	}
	o.raw(fmt.Appendf(nil, "%q:%s", name, text))
}

// fields writes the fields of a struct into the object.
func (o *object) fields(value any) {
	text, err := json.Marshal(value)
	if err != nil || len(text) < 2 {
		o.err = err
		return
	}
	o.raw(text[1 : len(text)-1])
}

func (o *object) raw(text []byte) {
	if o.b.Len() == 0 {
		o.b.WriteByte('{')
	} else {
		o.b.WriteByte(',')
	}
	o.b.Write(text)
}

func (o *object) end() ([]byte, error) {
	o.b.WriteByte('}')
	return o.b.Bytes(), o.err
}
