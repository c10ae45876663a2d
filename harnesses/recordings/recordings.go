// Package recordings reads the chat recordings that Gemini CLI keeps, and that
// products forked from it kept: one file per conversation below
// tmp/<project>/chats, JSON lines today and one JSON object before. It imports
// the domain, the contract of a harness and the JSON readers, never a harness;
// the harnesses of this family call it. docs/formats/gemini-cli.md tells the rules.
package recordings

import (
	"bytes"
	"path"
	"strings"

	"github.com/cespare/xxhash/v2"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/walk"
)

// Store is the name space of message ids, which are unique within a conversation.
const Store = "chats"

// The kinds of sources.
const (
	kindLines    = "recording"
	kindAgent    = "agent-recording"
	kindDocument = "recording-document"
)

// Claim tells what the file at rel, below the program's folder, is.
func Claim(rel string) (harnesses.Kind, bool) {
	parts := strings.Split(rel, "/")
	if len(parts) < 4 || len(parts) > 5 || parts[0] != "tmp" || parts[2] != "chats" {
		return harnesses.Kind{}, false
	}
	name := parts[len(parts)-1]
	switch ext := path.Ext(name); {
	case name == "" || name[0] == '.' || strings.Contains(name, ".unreadable-") || strings.Contains(name, ".tmp-"):
	case len(parts) == 5 && ext == ".jsonl":
		return harnesses.Kind{Name: kindAgent, Shape: harnesses.Lines}, true
	case len(parts) == 5 || !strings.HasPrefix(name, "session-"):
	case ext == ".jsonl":
		return harnesses.Kind{Name: kindLines, Shape: harnesses.Lines}, true
	case ext == ".json":
		return harnesses.Kind{Name: kindDocument, Shape: harnesses.Document}, true
	}
	return harnesses.Kind{}, false
}

// Skip names the folders that hold no recordings.
func Skip(relDir string) bool {
	parts := strings.Split(relDir, "/")
	switch {
	case relDir == "" || relDir == ".":
		return false
	case parts[0] != "tmp" || len(parts) > 4:
		return true
	}
	return len(parts) > 2 && parts[2] != "chats"
}

// Lines opens a parser of recordings of the harness id.
func Lines(id string, o harnesses.Options) harnesses.LineParser {
	return newParser(id, o)
}

// Document opens a parser of recordings that are one object.
func Document(id string, o harnesses.Options) harnesses.DocumentParser {
	return &document{newParser(id, o)}
}

// document reads the layout that is rewritten whole.
type document struct{ *parser }

// Document reads a recording: its head, then its messages.
func (d *document) Document(content []byte, out *meterbridge.Batch) {
	d.at, d.Out = meterbridge.Place{Line: 1, Hash: xxhash.Sum64(content)}, out
	c := walk.Over(bytes.TrimPrefix(content, []byte("\xef\xbb\xbf")))
	var h head
	if c.Peek() != '{' {
		d.Problem(d.at, "malformed-json", "a recording is no JSON object")
		return
	}
	c.Each(func(key string) bool { return h.read(&c, key) })
	if !c.End() {
		d.Problem(d.at, "malformed-json", "a recording is not valid JSON")
		return
	}
	d.patch(&h)
	d.Flush(out)
}
