package manifest

import (
	"encoding/json"
	"fmt"
	"strings"

	"meterbridge/bridge"
	"meterbridge/bridge/schema"
)

// portType is the form of a port's type.
const portType = "a type such as ns:text, or PACKAGE/TYPE, of up to 97 characters"

// ports reads the inputs or the outputs of a card.
func (r *reader) ports(o object, key string) []bridge.Port {
	known := []string{"id", "label", "description", "type", "schema", "retain"}
	if key == "inputs" {
		known = []string{"id", "label", "description", "type", "schema", "mode", "response", "default"}
	}
	var list []bridge.Port
	for i, v := range o.list(key, 0, 16) {
		list = append(list, r.port(r.object(v, o.entry(key, i), known...), key == "inputs"))
	}
	return list
}

func (r *reader) port(o object, input bool) bridge.Port {
	o.need("id", "label", "type")
	p := bridge.Port{
		ID:          o.word("id", isPort, "1 to 32 of a-z, 0-9 and -, with a letter first"),
		Label:       o.localised("label", 80),
		Description: o.localised("description", 500),
		Type:        o.word("type", isPortType, portType),
		Schema:      o.schema("schema"),
		Default:     o.flag("default"),
		Retain:      o.flag("retain"),
	}
	if !input {
		return p
	}
	p.Mode = o.choice("mode", "stream", "stream", "request")
	if o.has("response") != (p.Mode == "request") {
		r.shape(o.at("response"), "belongs to the mode request, which needs it")
	}
	if o.has("response") {
		in := r.object(o.m["response"], o.at("response"), "type", "schema")
		in.need("type")
		p.ResponseType, p.ResponseSchema = in.word("type", isPortType, portType), in.schema("schema")
	}
	return p
}

func (r *reader) portsMeaning(path, name string, list []bridge.Port) {
	seen := map[string]bool{}
	defaults := 0
	for i, p := range list {
		at := fmt.Sprintf("%s/%d", path, i)
		if seen[p.ID] {
			r.meaning(at+"/id", fmt.Sprintf("%q comes twice", p.ID))
		}
		seen[p.ID] = true
		if p.Default {
			defaults++
		}
		for _, label := range p.Label {
			if strings.TrimSpace(label) == "" {
				r.meaning(at+"/label", "is blank")
			}
		}
		r.readableIn(at+"/label", p.Label, oneLine)
		r.readableIn(at+"/description", p.Description, severalLines)
		r.portTypeMeaning(at, name, p.Type, p.Schema)
		if p.ResponseType != "" {
			r.portTypeMeaning(at+"/response", name, p.ResponseType, p.ResponseSchema)
		}
	}
	if defaults > 1 {
		r.meaning(path, "one input may be the default")
	}
}

func (r *reader) portTypeMeaning(path, name, kind string, text json.RawMessage) {
	pack, _, own := strings.Cut(kind, "/")
	if own && pack != name {
		r.warn("%s/type: %s is a type of another package", path, kind)
	}
	if own && text == nil {
		r.meaning(path, "the type "+kind+" needs a schema")
	}
	if text != nil {
		r.schemaMeaning(path+"/schema", text)
	}
}

// schemaMeaning refuses a schema outside of the subset, and texts in it that hide
// something.
func (r *reader) schemaMeaning(path string, text json.RawMessage) {
	_, issues := schema.Subset(text)
	for _, issue := range issues {
		r.meaning(path+issue.Path, issue.Message)
	}
	r.schemaReadable(path, text)
}
