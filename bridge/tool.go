package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// DefaultTimeout is how long a call of a tool that names no time may take.
const DefaultTimeout = 30 * time.Second

// Annotations are what a client is told of a tool's effects. All four are
// always sent: a client assumes the worst of what is absent.
type Annotations struct {
	// ReadOnly: the tool changes nothing. Destructive: it may destroy something.
	ReadOnly, Destructive bool
	// Idempotent: a second call with the same arguments changes nothing more.
	// OpenWorld: it reaches beyond this machine.
	Idempotent, OpenWorld bool
}

// ReadOnly are the annotations of a tool that only reads what this machine has.
func ReadOnly() Annotations { return Annotations{ReadOnly: true, Idempotent: true} }

// Tool is a tool as agents see it.
type Tool struct {
	// Name is the exposed name, unique in a registry.
	Name string
	// Title is for people, Description for the model.
	Title, Description string
	// Input is the JSON Schema of the arguments, an object. Output is that of
	// Result.Structured, an object too; nil when the tool answers text only. The
	// bytes reach the client as they are.
	Input, Output json.RawMessage
	Annotations   Annotations
	// Timeout is how long a call may take; zero is DefaultTimeout.
	Timeout time.Duration
	// From is where the tool comes from; nil for one of our own.
	From *Source
	// Foreign: it was written by others, so its schemas are of the subset that can be
	// checked within bounds.
	Foreign bool
	// Cards are those of its extension that are linked to a caller, the one that was
	// linked first in front; nil for a tool without cards.
	Cards func(who Identity) []Card
	// Call answers one call. The arguments fit the input schema. An error is told
	// to the model, so its text says what to do; *ToolError has a code besides.
	Call func(ctx context.Context, who Identity, args json.RawMessage) (Result, error)
}

// Source is where a tool that is not our own comes from.
type Source struct {
	// By is what lets agents see it: "link" or "switch".
	By               string
	Package, Version string
	// Tool is its local id.
	Tool                   string
	ToolDigest, TreeDigest Digest
}

// Card is one of several that answer calls of the same tools.
type Card struct{ ID, Name string }

type cardKey struct{}

// WithChosenCard returns a context whose call is for one card.
func WithChosenCard(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, cardKey{}, id)
}

// ChosenCard is the id of the card that a call is for, "" when it is for the only one.
func ChosenCard(ctx context.Context) string {
	id, _ := ctx.Value(cardKey{}).(string)
	return id
}

// Result is a tool's answer.
type Result struct {
	// Text is a sentence for the model and for people.
	Text string
	// Structured is the answer as a JSON value that fits the output schema; nil for a
	// tool without one.
	Structured any
	// Content replaces Text when it is not nil.
	Content []Content
	// IsError: the content says what went wrong.
	IsError bool
}

// Content is one item of an answer: a text, or an image in base64.
type Content struct {
	// Type is "text" or "image".
	Type string `json:"type"`
	Text string `json:"text,omitempty"`
	// Data is the image in base64, MimeType its type.
	Data     string `json:"data,omitempty"`
	MimeType string `json:"mimeType,omitempty"`
}

// TextContent is an item of text.
func TextContent(text string) Content { return Content{Type: "text", Text: text} }

// The codes of errors that an agent may meet.
const (
	CodeInvalidParams = "INVALID_PARAMS"
	CodeNotFound      = "NOT_FOUND"
	CodeBusy          = "BUSY"
	CodeTimeout       = "TIMEOUT"
	CodeTooLarge      = "TOO_LARGE"
	CodeInvalidResult = "INVALID_RESULT"
	CodeUnavailable   = "UNAVAILABLE"
	CodeInternal      = "INTERNAL"
	CodeRateLimited   = "RATE_LIMITED"
	// CodeNotConnected: no link lets the caller work with the other.
	CodeNotConnected = "NOT_CONNECTED"
	// CodePermissionDenied: the tool is there and not turned on for the caller.
	CodePermissionDenied = "PERMISSION_DENIED"
	// CodeUserCancelled: a person declined the call.
	CodeUserCancelled = "USER_CANCELLED"
	// CodeFailed: the question is good and could not be answered.
	CodeFailed = "FAILED"
)

// ToolError is an error with a code, which is the first word that the model
// reads.
type ToolError struct {
	Code string
	// Message says what is wrong and what to do.
	Message string
}

// Error implements error.
func (e *ToolError) Error() string { return e.Code + ": " + e.Message }

// Refuse is a *ToolError whose message is formatted.
func Refuse(code, format string, args ...any) error {
	return &ToolError{Code: code, Message: fmt.Sprintf(format, args...)}
}

type progressKey struct{}

// WithProgress returns a context whose calls of Progress reach report.
func WithProgress(ctx context.Context, report func(text string)) context.Context {
	return context.WithValue(ctx, progressKey{}, report)
}

// Progress tells the caller how far the call is, if the caller asked to know.
func Progress(ctx context.Context, text string) {
	if report, ok := ctx.Value(progressKey{}).(func(string)); ok {
		report(text)
	}
}
