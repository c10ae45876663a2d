package claudecode

import (
	"encoding/json"
	"strconv"
)

// encode writes the state as decodeState reads it. It is written for every
// source, and by hand: what encoding/json takes for it is a hundredth of a first
// scan. What few states hold is left to that.
func (s *state) encode() []byte {
	b := append(make([]byte, 0, 256), '{')
	if s.Last != 0 {
		b = strconv.AppendInt(appendName(b, "l"), s.Last, 10)
	}
	for _, text := range [...]struct{ name, value string }{{"f", s.File}, {"y", s.Summary}, {"e", s.Empty}} {
		if text.value != "" {
			b = appendText(appendName(b, text.name), text.value)
		}
	}
	if len(s.Messages) > 0 {
		b = appendList(appendName(b, "m"), len(s.Messages), func(b []byte, i int) []byte { return s.Messages[i].appendTo(b) })
	}
	if s.Turn != (turn{}) {
		b = s.Turn.appendTo(appendName(b, "t"))
	}
	if len(s.Prompted) > 0 {
		b = appendList(appendName(b, "p"), len(s.Prompted), func(b []byte, i int) []byte { return appendText(b, s.Prompted[i]) })
	}
	if len(s.Sent) > 0 {
		b = appendValue(appendName(b, "s"), s.Sent)
	}
	if len(s.Reused) > 0 {
		b = appendValue(appendName(b, "r"), s.Reused)
	}
	if s.Command != nil {
		b = appendValue(appendName(b, "c"), s.Command)
	}
	return append(b, '}')
}

func (t *turn) appendTo(b []byte) []byte {
	b = appendText(append(b, `{"i":`...), t.ID)
	b = strconv.AppendInt(append(b, `,"s":`...), t.Start, 10)
	if t.Done {
		b = append(b, `,"d":true`...)
	}
	return append(b, '}')
}

// appendName writes the name of a member and its colon.
func appendName(b []byte, name string) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	return append(append(append(b, '"'), name...), `":`...)
}

func appendList(b []byte, n int, element func(b []byte, i int) []byte) []byte {
	b = append(b, '[')
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = element(b, i)
	}
	return append(b, ']')
}

// appendKey writes a hash in quotes.
func appendKey(b []byte, n uint64) []byte {
	return append(strconv.AppendUint(append(b, '"'), n, 36), '"')
}

// appendText writes a text in quotes.
func appendText(b []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return appendValue(b, text)
		}
	}
	return append(append(append(b, '"'), text...), '"')
}

// appendValue writes anything.
func appendValue(b []byte, value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		return append(b, "null"...) // no value of a state is refused
	}
	return append(b, text...)
}
