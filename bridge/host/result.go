package host

import (
	"bytes"
	"encoding/base64"
	"encoding/json"

	"meterbridge/bridge"
)

// mostItems is how many items one answer may have, mostResult how large it may
// be as JSON, in bytes.
const (
	mostItems  = 16
	mostResult = 1 << 20
)

// result is an extension's answer as agents get it. For a Switchboard tool with
// an output shape it holds the value too.
func (k *keeper) result(tool string, r reply) (bridge.Result, error) {
	if r.failed {
		return bridge.Result{Content: []bridge.Content{bridge.TextContent(r.text)}, IsError: true}, nil
	}
	if len(r.result) > mostResult {
		return bridge.Result{}, &bridge.ToolError{Code: bridge.CodeTooLarge, Message: "the answer is larger than 1 MiB; ask for less"}
	}
	result, err := shaped(r.result)
	if declared := k.x.Tool(tool); err == nil && declared != nil && declared.Output != nil && k.x.Dialect == bridge.DialectSwitchboard {
		value := r.result
		if value == nil {
			value = json.RawMessage("null")
		}
		return bridge.Result{Structured: value}, nil
	}
	return result, err
}

// shaped gives a handler's value the shape of an answer.
func shaped(value json.RawMessage) (bridge.Result, error) {
	value = bytes.TrimSpace(value)
	switch {
	case value == nil:
		return bridge.Result{}, nil
	case len(value) > 0 && value[0] == '"':
		return bridge.Result{Content: []bridge.Content{bridge.TextContent(text(value))}}, nil
	case hasContent(value):
		return content(value)
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, value, "", "  "); err != nil {
		return bridge.Result{}, invalid("it is not JSON")
	}
	return bridge.Result{Content: []bridge.Content{bridge.TextContent(pretty.String())}}, nil
}

// hasContent tells whether a value is an object with an array named content.
func hasContent(value json.RawMessage) bool {
	var members map[string]json.RawMessage
	if json.Unmarshal(value, &members) != nil {
		return false
	}
	list := bytes.TrimSpace(members["content"])
	return len(list) > 0 && list[0] == '['
}

func invalid(message string) error {
	return &bridge.ToolError{Code: bridge.CodeInvalidResult, Message: "the tool's answer: " + message}
}

// content reads an answer that has its shape already.
func content(value json.RawMessage) (bridge.Result, error) {
	var r struct {
		Content []struct {
			Type     string  `json:"type"`
			Text     *string `json:"text"`
			Data     string  `json:"data"`
			MimeType string  `json:"mimeType"`
		} `json:"content"`
		IsError bool `json:"isError"`
	}
	d := json.NewDecoder(bytes.NewReader(value))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return bridge.Result{}, invalid(err.Error())
	}
	if n := len(r.Content); n < 1 || n > mostItems {
		return bridge.Result{}, invalid("content must have 1 to 16 items")
	}
	result := bridge.Result{IsError: r.IsError}
	for _, item := range r.Content {
		switch {
		case item.Type == "text" && item.Text != nil && item.Data == "" && item.MimeType == "":
			result.Content = append(result.Content, bridge.TextContent(*item.Text))
		case item.Type == "image" && item.Text == nil && isImage(item.MimeType, item.Data):
			result.Content = append(result.Content, bridge.Content{Type: "image", Data: item.Data, MimeType: item.MimeType})
		default:
			return bridge.Result{}, invalid("an item must be {type: \"text\", text} or {type: \"image\", data, mimeType} with a PNG, JPEG, WebP or GIF in base64")
		}
	}
	return result, nil
}

// isImage tells whether data is an image of that type, as far as its first bytes
// tell.
func isImage(mimeType, data string) bool {
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return false
	}
	begins := func(s string) bool { return bytes.HasPrefix(raw, []byte(s)) }
	switch mimeType {
	case "image/png":
		return begins("\x89PNG\r\n\x1a\n")
	case "image/jpeg":
		return begins("\xff\xd8\xff")
	case "image/gif":
		return begins("GIF87a") || begins("GIF89a")
	case "image/webp":
		return begins("RIFF") && len(raw) > 12 && string(raw[8:12]) == "WEBP"
	}
	return false
}
