package pipeline

import (
	"bytes"
	"encoding/json"
	"errors"

	"meterbridge/bridge"
	"meterbridge/bridge/registry"
	"meterbridge/bridge/schema"
)

// longestError is the longest text of a tool's error, in bytes.
const longestError = 4000

// answer puts a result or an error into the form that callers get.
func (p *Pipeline) answer(tool *registry.Entry, r bridge.Result, err error) Answer {
	if err == nil {
		var a Answer
		if a, err = p.result(tool, r); err == nil {
			return a
		}
	}
	code := "tool_error"
	var coded *bridge.ToolError
	if errors.As(err, &coded) {
		code = coded.Code
	}
	text, _ := clean(err.Error())
	return Answer{Code: code, Texts: []string{cut(text, longestError)}}
}

func (p *Pipeline) result(tool *registry.Entry, r bridge.Result) (Answer, error) {
	text, _ := clean(r.Text)
	a := Answer{Texts: []string{text}}
	if r.Text == "" {
		a.Texts[0] = "OK"
	}
	if (tool.Out != nil) != (r.Structured != nil) {
		return a, refused(bridge.CodeInvalidResult, "%s does not answer in the form that it declares", tool.Name)
	}
	if tool.Out == nil {
		return a, p.fits(tool, a)
	}
	structured, err := compact(r.Structured)
	if err != nil {
		return a, refused(bridge.CodeInvalidResult, "%s: %v", tool.Name, err)
	}
	if issues := tool.Out.Check(structured); len(issues) > 0 {
		return a, refused(bridge.CodeInvalidResult, "%s answered what it does not declare: %s", tool.Name, schema.Lines(issues, 1))
	}
	// Many clients show a model the texts alone, so the object is one of them too.
	a.Structured, a.Texts = structured, append(a.Texts, string(structured))
	return a, p.fits(tool, a)
}

// fits holds the whole answer, as JSON, against the limit.
func (p *Pipeline) fits(tool *registry.Entry, a Answer) error {
	size := len(a.Structured)
	for _, text := range a.Texts {
		quoted, err := compact(text)
		if err != nil {
			return refused(bridge.CodeInvalidResult, "%s: %v", tool.Name, err)
		}
		size += len(quoted)
	}
	if size > p.limits.Result {
		return refused(bridge.CodeTooLarge, "the answer of %s is larger than %d bytes; ask for less", tool.Name, p.limits.Result)
	}
	return nil
}

// compact is JSON without escapes that only browsers need, and without
// characters that deceive a reader.
func compact(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return cleanJSON(bytes.TrimRight(b.Bytes(), "\n")), nil
}

// cut shortens a text at a character's end.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && text[most]&0xc0 == 0x80 {
		most--
	}
	return text[:most] + "…"
}
