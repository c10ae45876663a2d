package ext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// Content is one item of an answer: a text, or an image in base64.
type Content struct {
	// Type is "text" or "image".
	Type string `json:"type"`
	Text string `json:"text"`
	// Data and MimeType are those of an image.
	Data     string `json:"data"`
	MimeType string `json:"mimeType"`
}

// MarshalJSON implements json.Marshaler: an item has the keys of its type only.
func (c Content) MarshalJSON() ([]byte, error) {
	if c.Type == "image" {
		return json.Marshal(map[string]string{"type": c.Type, "data": c.Data, "mimeType": c.MimeType})
	}
	return json.Marshal(map[string]string{"type": c.Type, "text": c.Text})
}

// Result is an answer that has its shape already.
type Result struct {
	Content []Content `json:"content"`
	IsError bool      `json:"isError,omitempty"`
}

// Text is an item of text, Image one of an image of that type, data in base64.
func Text(text string) Content { return Content{Type: "text", Text: text} }

// Image is an item of an image in base64.
func Image(mimeType, data string) Content {
	return Content{Type: "image", Data: data, MimeType: mimeType}
}

type toolError struct{ text string }

// Error implements error.
func (e *toolError) Error() string { return e.text }

func (e *toolError) result() Result {
	return Result{Content: []Content{Text(e.text)}, IsError: true}
}

// Errorf is an error whose text the agent reads as the tool's own answer; other
// errors are logged too.
func Errorf(format string, args ...any) error { return &toolError{fmt.Sprintf(format, args...)} }

// shaped is a handler's value as it is sent.
func shaped(value any) (any, error) {
	switch v := value.(type) {
	case nil:
		return Result{Content: []Content{Text("OK")}}, nil
	case string:
		return Result{Content: []Content{Text(v)}}, nil
	}
	text, err := pretty(value)
	if err != nil {
		return nil, fmt.Errorf("the answer is no JSON: %w", err)
	}
	if reflect.ValueOf(value).Kind() == reflect.String {
		var s string
		err := json.Unmarshal([]byte(text), &s)
		return Result{Content: []Content{Text(s)}}, err
	}
	var has struct {
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal([]byte(text), &has) == nil && len(has.Content) > 0 && has.Content[0] == '[' {
		return value, nil
	}
	return Result{Content: []Content{Text(text)}}, nil
}

func pretty(value any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(value)
	return string(bytes.TrimRight(b.Bytes(), "\n")), err
}
