package pricing

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// book is a price table as text, kept in pieces so that an import can change
// some models and leave the bytes of all others as they are.
type book struct {
	keys      []string
	parts     map[string]json.RawMessage
	providers map[string]*page
}

// page is one provider.
type page struct {
	id     string
	parts  map[string]json.RawMessage
	models map[string]json.RawMessage
}

func openBook(data []byte) (*book, error) {
	b := &book{parts: map[string]json.RawMessage{}, providers: map[string]*page{}}
	err := members(data, func(key string, value []byte) error {
		b.keys = append(b.keys, key)
		if key != "providers" {
			b.parts[key] = value
			return nil
		}
		return members(value, func(id string, raw []byte) error {
			p, err := openPage(id, raw)
			b.providers[strings.ToLower(id)] = p
			return err
		})
	})
	return b, err
}

func openPage(id string, raw []byte) (*page, error) {
	p := &page{id: id, parts: map[string]json.RawMessage{}, models: map[string]json.RawMessage{}}
	err := members(raw, func(key string, value []byte) error {
		if key != "models" {
			p.parts[key] = value
			return nil
		}
		return members(value, func(id string, raw []byte) error {
			p.models[id] = raw
			return nil
		})
	})
	return p, err
}

func (b *book) set(key, text string) {
	value, err := json.Marshal(text)
	if err == nil {
		b.parts[key] = value
	}
}

// provider is the page of a provider; a new one sells what others make.
func (b *book) provider(key string) *page {
	if b.providers[key] == nil {
		b.providers[key] = &page{id: key, parts: map[string]json.RawMessage{"kind": json.RawMessage(`"reseller"`)}, models: map[string]json.RawMessage{}}
	}
	return b.providers[key]
}

// named finds a model by its id or alias in lower case; a new one gets the
// spelling id.
func (p *page) named(name, id string) (string, json.RawMessage) {
	for known, raw := range p.models {
		if strings.ToLower(known) == name {
			return known, raw
		}
	}
	for known, raw := range p.models {
		var w struct {
			Aliases []string `json:"aliases"`
		}
		if json.Unmarshal(raw, &w) == nil && slices.ContainsFunc(w.Aliases, func(a string) bool { return strings.ToLower(a) == name }) {
			return known, raw
		}
	}
	return id, nil
}

// bytes writes the table with one model per line, in order.
func (b *book) bytes() []byte {
	var out bytes.Buffer
	out.WriteString("{\n")
	for i, key := range b.keys {
		if i > 0 {
			out.WriteString(",\n")
		}
		writeKey(&out, key)
		if key == "providers" {
			b.writeProviders(&out)
			continue
		}
		out.Write(b.parts[key])
	}
	out.WriteString("\n}\n")
	return out.Bytes()
}

func (b *book) writeProviders(out *bytes.Buffer) {
	out.WriteByte('{')
	for i, name := range sortedKeys(b.providers) {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteByte('\n')
		p := b.providers[name]
		writeKey(out, p.id)
		out.WriteByte('{')
		for _, key := range sortedKeys(p.parts) {
			writeKey(out, key)
			out.Write(p.parts[key])
			out.WriteByte(',')
		}
		out.WriteString(`"models":`)
		writeModels(out, p.models)
		out.WriteByte('}')
	}
	out.WriteString("\n}")
}

func writeModels(out *bytes.Buffer, models map[string]json.RawMessage) {
	out.WriteByte('{')
	for i, id := range sortedKeys(models) {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteByte('\n')
		writeKey(out, id)
		out.Write(models[id])
	}
	out.WriteString("\n}")
}

func writeKey(out *bytes.Buffer, key string) {
	text, err := json.Marshal(key)
	if err == nil {
		out.Write(text)
		out.WriteByte(':')
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
