package pricefile

import (
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"meterbridge/pricing"
)

// places leads from an entry ("override.0") or a key of one
// ("override.0.input") to where it is written.
type places map[string]pricing.Position

// findPlaces walks a document that was decoded before.
func findPlaces(content []byte) places {
	found := places{}
	counts := map[string]int{}
	entry := ""
	p := unstable.Parser{}
	p.Reset(content)
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.ArrayTable:
			name, at := keyOf(&p, e)
			if !strings.Contains(name, ".") {
				entry = name + "." + strconv.Itoa(counts[name])
				counts[name]++
				found[entry] = at
			}
		case unstable.KeyValue:
			name, at := keyOf(&p, e)
			found[entry+"."+name] = at
		}
	}
	return found
}

// keyOf is the dotted name of an expression and the place of its first part.
func keyOf(p *unstable.Parser, e *unstable.Node) (string, pricing.Position) {
	var parts []string
	var at pricing.Position
	for it := e.Key(); it.Next(); {
		part := it.Node()
		if len(parts) == 0 {
			start := p.Shape(part.Raw).Start
			at = pricing.Position{Line: start.Line, Column: start.Column}
		}
		parts = append(parts, string(part.Data))
	}
	return strings.Join(parts, "."), at
}

// of is the place of a key of an entry, or of the entry where the key has none
// of its own.
func (p places) of(entry, key string) pricing.Position {
	if at, ok := p[entry+"."+key]; ok {
		return at
	}
	return p[entry]
}
