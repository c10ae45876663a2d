package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"meterbridge/bridge"
)

// lines says whether a text may have several.
type lines bool

const (
	oneLine      lines = false
	severalLines lines = true
)

// readable refuses a text with characters that people do not see.
func (r *reader) readable(path, text string, l lines) {
	if c, found := hidden(text, bool(l)); found {
		r.meaning(path, fmt.Sprintf("holds the hidden character U+%04X", c))
	}
}

func (r *reader) readableIn(path string, text bridge.Localised, l lines) {
	for _, language := range []string{"en", "ru", "zh"} {
		if c, found := hidden(text[language], bool(l)); found {
			r.meaning(path, fmt.Sprintf("holds the hidden character U+%04X", c))
			return
		}
	}
}

// pretends refuses a name that claims to be ours, or to have been looked at.
func (r *reader) pretends(path, text string) {
	for _, word := range reservedData().Claims {
		if strings.Contains(strings.ToLower(text), word) {
			r.meaning(path, fmt.Sprintf("may not say %q", word))
		}
	}
}

// schemaReadable looks at every string and name within a schema: they all reach
// models. Descriptions may have several lines.
func (r *reader) schemaReadable(path string, schema json.RawMessage) {
	d := json.NewDecoder(bytes.NewReader(schema))
	d.UseNumber()
	var v any
	if d.Decode(&v) == nil {
		r.readableWithin(path, v, oneLine)
	}
}

func (r *reader) readableWithin(path string, v any, l lines) {
	switch v := v.(type) {
	case string:
		r.readable(path, v, l)
	case []any:
		for i, item := range v {
			r.readableWithin(path+"/"+strconv.Itoa(i), item, l)
		}
	case map[string]any:
		for _, key := range sorted(v) {
			if c, found := hidden(key, false); found {
				r.meaning(path, fmt.Sprintf("a name in it holds the hidden character U+%04X", c))
				continue
			}
			r.readableWithin(object{path: path}.at(key), v[key], lines(key == "description"))
		}
	}
}
