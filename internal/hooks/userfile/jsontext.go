package userfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"meterbridge/harnesses/jsonc"
)

// errNoObject says that a text is not a JSON object, comments aside.
var errNoObject = errors.New("the file is no JSON object")

// span is a stretch of a text.
type span struct{ from, to int }

// member is one member of an object.
type member struct {
	name       string
	key, value span
}

// document is a JSON text, perhaps with comments, that is changed in place: what is
// not changed keeps its bytes.
type document struct{ text []byte }

// open reads a document; an empty text is an empty object.
func open(text []byte) (*document, error) {
	if len(strings.TrimSpace(string(text))) == 0 {
		text = []byte("{}\n")
	}
	d := &document{text: text}
	plain := jsonc.Plain(d.body())
	if !json.Valid(plain) {
		return nil, fmt.Errorf("%w: it cannot be read", errNoObject)
	}
	if first := strings.TrimSpace(string(plain)); first == "" || first[0] != '{' {
		return nil, errNoObject
	}
	return d, nil
}

// bom is a byte order mark, which stays where it is.
const bom = "\xef\xbb\xbf"

// body is the text behind a byte order mark, with the same offsets: the mark is
// blanks in it.
func (d *document) body() []byte {
	if strings.HasPrefix(string(d.text), bom) {
		return append([]byte("   "), d.text[len(bom):]...)
	}
	return d.text
}

// root is the span of the outermost object.
func (d *document) root() span {
	plain := jsonc.Plain(d.body())
	from := strings.IndexByte(string(plain), '{')
	return span{from, valueEnd(plain, from)}
}

// members are those of the object at s, elements those of the array.
func (d *document) members(s span) (list []member) {
	plain := jsonc.Plain(d.body())
	for i := skip(plain, s.from+1); i < s.to-1; {
		keyEnd := valueEnd(plain, i)
		var name string
		if json.Unmarshal(plain[i:keyEnd], &name) != nil {
			return list
		}
		v := skip(plain, skip(plain, keyEnd)+1) // behind the colon
		end := valueEnd(plain, v)
		list = append(list, member{name, span{i, keyEnd}, span{v, end}})
		i = behindComma(plain, end)
	}
	return list
}

func (d *document) elements(s span) (list []span) {
	plain := jsonc.Plain(d.body())
	for i := skip(plain, s.from+1); i < s.to-1; {
		end := valueEnd(plain, i)
		list = append(list, span{i, end})
		i = behindComma(plain, end)
	}
	return list
}

// member finds a member of an object; the last of one name counts.
func (d *document) member(s span, name string) (found member, ok bool) {
	for _, m := range d.members(s) {
		if m.name == name {
			found, ok = m, true
		}
	}
	return found, ok
}

// behindComma is where the next value begins. A comma that ends a list is a blank
// in plain text already.
func behindComma(plain []byte, i int) int {
	if i = skip(plain, i); i < len(plain) && plain[i] == ',' {
		i = skip(plain, i+1)
	}
	return i
}

func skip(plain []byte, i int) int {
	for i < len(plain) && strings.IndexByte(" \t\r\n", plain[i]) >= 0 {
		i++
	}
	return i
}

// valueEnd is where the value that begins at i ends, of a text that is valid.
func valueEnd(plain []byte, i int) int {
	depth := 0
	for ; i < len(plain); i++ {
		switch c := plain[i]; c {
		case '"':
			for i++; i < len(plain) && plain[i] != '"'; i++ {
				if plain[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		default:
			if depth > 0 || i+1 < len(plain) && strings.IndexByte(" \t\r\n,]}:", plain[i+1]) < 0 {
				continue
			}
		}
		if depth == 0 {
			return min(i+1, len(plain))
		}
	}
	return len(plain)
}

// kind is the first byte of a value: '{', '[', ...
func (d *document) kind(s span) byte { return jsonc.Plain(d.body())[s.from] }

// replace puts text in the place of a span.
func (d *document) replace(s span, text string) {
	out := append([]byte(nil), d.text[:s.from]...)
	out = append(out, text...)
	d.text = append(out, d.text[s.to:]...)
}

// add puts one more value into a container: behind its last one, and on a line of
// its own where the others are on theirs, or where it is the first.
func (d *document) add(container span, last *span, value string) {
	lineEnd := "\n"
	if strings.Contains(string(d.text), "\r\n") {
		lineEnd = "\r\n"
	}
	outer := d.indent(container.from)
	if last != nil {
		if !strings.Contains(string(d.text[container.from:last.from]), "\n") {
			d.replace(span{last.to, last.to}, ", "+value)
			return
		}
		d.replace(span{last.to, last.to}, ","+lineEnd+d.indent(last.from)+value)
		return
	}
	inside := lineEnd + outer + d.step() + value
	if rest := d.text[container.from+1 : container.to-1]; strings.TrimSpace(string(rest)) == "" {
		d.replace(span{container.from + 1, container.to - 1}, inside+lineEnd+outer)
		return
	}
	d.replace(span{container.from + 1, container.from + 1}, inside) // before a comment
}

// indent are the blanks at the beginning of the line of an offset.
func (d *document) indent(at int) string {
	start := strings.LastIndexByte(string(d.text[:at]), '\n') + 1
	end := start
	for end < at && (d.text[end] == ' ' || d.text[end] == '\t') {
		end++
	}
	return string(d.text[start:end])
}

// step is by how much the document indents.
func (d *document) step() string {
	root := d.root()
	if list := d.members(root); len(list) > 0 {
		if own := strings.TrimPrefix(d.indent(list[0].key.from), d.indent(root.from)); own != "" && strings.Contains(string(d.text[root.from:list[0].key.from]), "\n") {
			return own
		}
	}
	return "  "
}

// cut takes the i-th of the values of a container out, with the comma and the
// blanks that belong to it.
func (d *document) cut(container span, values []span, i int) {
	switch {
	case i > 0:
		d.replace(span{values[i-1].to, values[i].to}, "")
	case len(values) > 1:
		d.replace(span{values[0].from, values[1].from}, "")
	default:
		to := values[0].to
		from := container.from + 1
		if strings.TrimSpace(string(d.text[to:container.to-1])) == "" {
			to = container.to - 1
		}
		d.replace(span{from, to}, "")
	}
}
