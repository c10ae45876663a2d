package config

import (
	"fmt"

	"github.com/pelletier/go-toml/v2/unstable"
)

// valueError is a value that cannot be meant: of a key of a table, the n-th one
// where there are several.
type valueError struct {
	table string
	n     int
	key   string
	err   error
}

func (e *valueError) Error() string { return fmt.Sprintf("[%s] %s: %v", e.table, e.key, e.err) }

func (e *valueError) Unwrap() error { return e.err }

func wrongValue(table string, n int, key string, err error) error {
	if err == nil {
		return nil
	}
	return &valueError{table: table, n: n, key: key, err: err}
}

// place is where the value stands in the text, else its table; 0, 0 when neither
// is there.
func (e *valueError) place(text []byte) (line, column int) {
	var p unstable.Parser
	p.Reset(text)
	table, n := "", map[string]int{}
	for p.NextExpression() {
		node := p.Expression()
		keys := node.Key()
		if !keys.Next() {
			continue
		}
		key := keys.Node()
		name := string(key.Data)
		start := p.Shape(key.Raw).Start
		switch node.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = name
			n[table]++
			if table == e.table && n[table] == e.n {
				line, column = start.Line, start.Column
			}
		case unstable.KeyValue:
			if table == e.table && n[table] == e.n && name == e.key {
				return start.Line, start.Column
			}
		}
	}
	return line, column
}
