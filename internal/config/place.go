package config

import (
	"fmt"
	"slices"

	"github.com/pelletier/go-toml/v2/unstable"
)

// valueError is a value that cannot be meant: of a key of a table, the n-th one
// where there are several.
type valueError struct {
	table string
	n     int
	key   string
	err   error
	// told: the error's text names the key.
	told bool
}

func (e *valueError) Error() string {
	if e.told {
		return fmt.Sprintf("[%s] %v", e.table, e.err)
	}
	return fmt.Sprintf("[%s] %s: %v", e.table, e.key, e.err)
}

func (e *valueError) Unwrap() error { return e.err }

func wrongValue(table string, n int, key string, err error) error {
	if err == nil {
		return nil
	}
	return &valueError{table: table, n: n, key: key, err: err}
}

// place is where the value stands in the text, else its table; 0, 0 when neither
// is there. The table may be one of brackets, of dotted keys, or an inline one.
func (e *valueError) place(text []byte) (line, column int) {
	var p unstable.Parser
	p.Reset(text)
	var table []string
	seen := 0
	for p.NextExpression() {
		node := p.Expression()
		keys, start := path(&p, node)
		if node.Kind == unstable.Table || node.Kind == unstable.ArrayTable {
			if table = keys; slices.Equal(table, []string{e.table}) {
				seen++
			}
		}
		if node.Kind == unstable.KeyValue {
			keys = append(slices.Clone(table), keys...)
			if len(keys) > 0 && keys[0] == e.table && len(table) == 0 {
				seen = e.n
			}
		}
		switch {
		case seen != e.n || len(keys) == 0 || keys[0] != e.table:
		case len(keys) == 2 && keys[1] == e.key:
			return start.Line, start.Column
		case line == 0:
			line, column = start.Line, start.Column
		}
	}
	return line, column
}

// path are the parts of an expression's key, and where its first one stands.
func path(p *unstable.Parser, node *unstable.Node) (parts []string, start unstable.Position) {
	for keys := node.Key(); keys.Next(); {
		key := keys.Node()
		if len(parts) == 0 {
			start = p.Shape(key.Raw).Start
		}
		parts = append(parts, string(key.Data))
	}
	return parts, start
}
