// Package manifest reads the manifests of extensions, neurosquad-card.json,
// switchboard.json and meterbridge-extension.json, into the one model of package
// bridge, and says of each fault where it is and what to do. It knows the names
// that may not be taken, the paths that a package may hold and the files that
// nobody may write. It imports bridge, bridge/schema and bridge/strictjson;
// policy, registry, host and internal/daemon/extensions call it.
package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"

	"meterbridge/bridge"
	"meterbridge/bridge/strictjson"
)

// The files that hold a manifest; a package has exactly one of them at its root.
const (
	CardFile        = "neurosquad-card.json"
	SwitchboardFile = "switchboard.json"
	ProcessFile     = "meterbridge-extension.json"
)

// Files are the names of all manifests.
func Files() []string { return []string{CardFile, SwitchboardFile, ProcessFile, ImportFile} }

// Protocol is the newest revision of the hosting protocol that we speak.
const Protocol = 1

// MaxSize is the largest manifest in bytes, MaxIssues how many faults are told.
const (
	MaxSize   = 256 << 10
	MaxIssues = 50
)

// Code is the kind of a fault.
type Code string

// The kinds of faults: the form is wrong, the meaning is, or we are too old for it.
const (
	CodeSchema   Code = "schema"
	CodeSemantic Code = "semantic"
	CodeProtocol Code = "protocol"
)

// Issue is one fault of a manifest.
type Issue struct {
	// Path is the JSON pointer of what is wrong, "" for the whole.
	Path    string `json:"path"`
	Code    Code   `json:"code"`
	Message string `json:"message"`
}

// String is the line that a person reads.
func (i Issue) String() string {
	if i.Path == "" {
		return i.Message
	}
	return i.Path + ": " + i.Message
}

// Report is what is to be said of a manifest. With issues it cannot be used;
// warnings are for its reader.
type Report struct {
	Issues   []Issue  `json:"issues"`
	Warnings []string `json:"warnings"`
}

// Options say by whom a manifest is read.
type Options struct {
	// AppVersion is ours; one that is no semantic version is taken as the newest.
	AppVersion string
	// OS is a GOOS value; empty asks for none.
	OS string
}

// Parse reads a manifest; file is its name, which tells the dialect. The
// extension is nil when the report has issues.
func Parse(file string, text []byte, o Options) (*bridge.Extension, Report) {
	r := &reader{options: o}
	ext := r.parse(file, text)
	report := Report{Issues: r.issues, Warnings: r.warnings}
	if len(r.issues) > 0 {
		return nil, report
	}
	return ext, report
}

// reader collects what is wrong with one manifest.
type reader struct {
	options  Options
	issues   []Issue
	warnings []string
	// raw are the texts of schemas as the manifest has them, by pointer.
	raw map[string]json.RawMessage
}

func (r *reader) parse(file string, text []byte) *bridge.Extension {
	if len(text) > MaxSize {
		r.shape("", fmt.Sprintf("a manifest may have %d KiB", MaxSize>>10))
		return nil
	}
	if err := strictjson.Check(text); err != nil {
		r.shape("", err.Error())
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		r.shape("", err.Error())
		return nil
	}
	if _, ok := v.(map[string]any); !ok {
		r.shape("", "must be an object")
		return nil
	}
	r.raw = spans(text)
	switch file {
	case CardFile:
		return r.card(v)
	case SwitchboardFile:
		return r.switchboard(v)
	case ProcessFile:
		return r.process(v)
	case ImportFile:
		return r.imported(v)
	}
	r.shape("", fmt.Sprintf("%q is no manifest's name", file))
	return nil
}

// shape notes a fault of form, meaning one of meaning.
func (r *reader) shape(path, message string)   { r.note(Issue{path, CodeSchema, message}) }
func (r *reader) meaning(path, message string) { r.note(Issue{path, CodeSemantic, message}) }

func (r *reader) note(i Issue) {
	if len(r.issues) < MaxIssues {
		r.issues = append(r.issues, i)
	}
}

// shaped tells that the form is right, so that the meaning can be looked at.
func (r *reader) shaped() bool { return len(r.issues) == 0 }

func (r *reader) warn(format string, args ...any) {
	r.warnings = append(r.warnings, fmt.Sprintf(format, args...))
}
