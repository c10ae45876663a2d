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

// Answer is what the caller gets.
type Answer struct {
	// Content is what a model reads, at least one item.
	Content []bridge.Content
	// Structured is the JSON value that fits the tool's output schema; nil without.
	Structured json.RawMessage
	// Code is that of a ToolError, "tool_error" for another error of the tool, empty
	// for a call that went well.
	Code string
	// removed counts characters that were cleaned away, size is that of the whole
	// answer as JSON.
	removed, size int
}

// Failed tells whether the call went wrong.
func (a Answer) Failed() bool { return a.Code != "" }

// Texts are the texts of the content.
func (a Answer) Texts() (list []string) {
	for _, item := range a.Content {
		if item.Type == "text" {
			list = append(list, item.Text)
		}
	}
	return list
}

// add cleans a text and adds it.
func (a *Answer) add(text string) {
	text, removed := clean(text)
	a.removed += removed
	a.Content = append(a.Content, bridge.TextContent(text))
}

// answer puts a result or an error into the form that callers get.
func (p *Pipeline) answer(tool *registry.Entry, r bridge.Result, err error) Answer {
	if err == nil {
		var a Answer
		if a, err = p.result(tool, r); err == nil {
			return a
		}
	}
	a := Answer{Code: "tool_error"}
	var coded *bridge.ToolError
	if errors.As(err, &coded) {
		a.Code = coded.Code
	}
	a.add(cut(err.Error(), longestError))
	a.size = len(a.Content[0].Text)
	return a
}

func (p *Pipeline) result(tool *registry.Entry, r bridge.Result) (Answer, error) {
	var a Answer
	if r.IsError {
		a.Code = "tool_error"
	}
	p.items(&a, r)
	if !r.IsError && (tool.Out != nil) != (r.Structured != nil) {
		return a, refused(bridge.CodeInvalidResult, "%s does not answer in the form that it declares", tool.Name)
	}
	if r.Structured == nil {
		return a, p.fits(tool, &a)
	}
	structured, removed, err := compact(r.Structured)
	if err != nil {
		return a, refused(bridge.CodeInvalidResult, "%s: %v", tool.Name, err)
	}
	if issues := tool.Out.Check(structured); len(issues) > 0 {
		return a, refused(bridge.CodeInvalidResult, "%s answered what it does not declare: %s", tool.Name, schema.Lines(issues, 1))
	}
	// Many clients show a model the texts alone, so the value is one of them too.
	a.Structured, a.Content, a.removed = structured, append(a.Content, bridge.TextContent(string(structured))), a.removed+removed
	return a, p.fits(tool, &a)
}

// items are the items of a result, cleaned.
func (p *Pipeline) items(a *Answer, r bridge.Result) {
	for _, item := range r.Content {
		if item.Type == "text" {
			a.add(item.Text)
		} else {
			a.Content = append(a.Content, item)
		}
	}
	switch {
	case r.Content != nil:
	case r.Text != "":
		a.add(r.Text)
	case r.Structured == nil:
		a.add("OK")
	}
}

// fits holds the whole answer, as JSON, against the limit.
func (p *Pipeline) fits(tool *registry.Entry, a *Answer) error {
	a.size = len(a.Structured)
	for _, item := range a.Content {
		quoted, _, err := compact(item.Text)
		if err != nil {
			return refused(bridge.CodeInvalidResult, "%s: %v", tool.Name, err)
		}
		a.size += len(quoted) + len(item.Data)
	}
	if a.size > p.limits.Result {
		return refused(bridge.CodeTooLarge, "the answer of %s is larger than %d bytes; ask for less", tool.Name, p.limits.Result)
	}
	return nil
}

// compact is JSON without escapes that only browsers need, and without
// characters that deceive a reader, which are counted.
func compact(v any) (json.RawMessage, int, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, 0, err
	}
	text, removed := cleanJSON(bytes.TrimRight(b.Bytes(), "\n"))
	return text, removed, nil
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
