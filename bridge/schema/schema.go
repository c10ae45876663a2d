// Package schema holds JSON Schemas that are compiled once, and says in one line
// per fault what is wrong with a value, in words a model can act on. Subset takes
// the part of the language that manifests may use, with bounds on size and work;
// Compile takes all of draft 2020-12, for tools whose author is us. A schema that
// cannot be compiled is an error, never skipped; nothing is ever fetched. Of the
// project it imports bridge/strictjson; manifest, registry and pipeline call it.
package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// ErrSchema says that a schema cannot be used.
var ErrSchema = errors.New("unusable JSON Schema")

// Schema is a compiled schema. It may be used by several goroutines.
type Schema struct {
	// full is of Compile, subset of Subset; one of them is set.
	full   *jsonschema.Schema
	subset *document
}

// Issue is one fault of a value, or of a schema.
type Issue struct {
	// Path is the JSON pointer of the faulty value, "" for the whole.
	Path string `json:"path"`
	// Keyword is that of the schema which the value breaks; of a faulty schema the one
	// that is wrong.
	Keyword string `json:"keyword"`
	// Message says what is wrong with it.
	Message string `json:"message"`
}

// String is the line that a model reads.
func (i Issue) String() string {
	if i.Path == "" {
		return i.Message
	}
	return "`" + i.Path + "`: " + i.Message
}

// refuse is a loader that loads nothing.
type refuse struct{}

// Load implements jsonschema.URLLoader.
func (refuse) Load(url string) (any, error) {
	return nil, fmt.Errorf("a $ref may only point into its own document, not to %s", url)
}

// Compile compiles a schema of draft 2020-12. Formats are asserted.
func Compile(text json.RawMessage) (*Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	if _, ok := doc.(map[string]any); !ok {
		return nil, fmt.Errorf("%w: not an object", ErrSchema)
	}
	const place = "tool:///schema"
	c := jsonschema.NewCompiler()
	c.UseLoader(refuse{})
	c.AssertFormat()
	if err := c.AddResource(place, doc); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	compiled, err := c.Compile(place)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	return &Schema{full: compiled}, nil
}

// Check returns what is wrong with a JSON value, nothing when it fits.
func (s *Schema) Check(text json.RawMessage) []Issue {
	if s.subset != nil {
		return s.subset.check(text)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return []Issue{{Message: "not valid JSON"}}
	}
	err = s.full.Validate(value)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return []Issue{{Message: err.Error()}}
	}
	return collect(invalid, nil)
}

// Lines joins issues, at most most of them, one a line.
func Lines(issues []Issue, most int) string {
	var lines []string
	for i, issue := range issues {
		if i == most {
			lines = append(lines, fmt.Sprintf("and %d more", len(issues)-most))
			break
		}
		lines = append(lines, issue.String())
	}
	return strings.Join(lines, "\n")
}
