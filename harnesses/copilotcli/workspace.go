package copilotcli

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
)

// workspace reads the file beside a log that names the session. It is YAML, of
// which the plain lines at the left are read.
type workspace struct{ opt harnesses.Options }

// Document implements harnesses.DocumentParser.
func (d *workspace) Document(content []byte, out *meterbridge.Batch) {
	w := facts.Writer{Harness: id, Store: store, Out: out}
	s := meterbridge.Session{TitleRank: meterbridge.TitleFromModel}
	for line := range bytes.Lines(bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))) {
		if !bytes.HasSuffix(line, []byte("\n")) && bytes.Count(content, []byte("\n")) == 0 {
			break // half-written
		}
		key, value, ok := strings.Cut(string(line), ":")
		switch {
		case !ok:
		case key == "id":
			s.ID = scalar(value)
		case key == "name":
			s.Title = scalar(value)
		case key == "cwd":
			s.Project = scalar(value)
		case key == "branch":
			s.Branch = scalar(value)
		}
	}
	s.ID = cmp.Or(s.ID, sessionOf(d.opt.Rel))
	if s.Title != "" || s.Project != "" {
		w.Session(s)
	}
}

// scalar is a plain or quoted value.
func scalar(value string) string {
	value = strings.TrimSpace(value)
	switch {
	case len(value) >= 2 && value[0] == '"':
		if text, err := strconv.Unquote(value); err == nil {
			return text
		}
	case len(value) >= 2 && value[0] == '\'' && value[len(value)-1] == '\'':
		return strings.ReplaceAll(value[1:len(value)-1], "''", "'")
	case value == "null" || value == "~" || strings.HasPrefix(value, "|") || strings.HasPrefix(value, ">"):
		return ""
	}
	return value
}
