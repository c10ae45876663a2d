package pipeline

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

// mostValue is how much of a value a trace keeps, in bytes.
const mostValue = 16 << 10

// blank stands for what was taken out.
const blank = "[blanked]"

// blanker takes secrets out of what traces keep.
type blanker struct {
	// keys are names of members that hold secrets, texts the forms of secrets in texts:
	// well-known prefixes, bearers, signed tokens, keys in PEM, passwords in addresses.
	keys, texts *regexp.Regexp
}

func newBlanker() *blanker {
	keys := regexp.MustCompile(`(?i)(secret|token|passw|passphrase|api_?-?key|private_?-?key|credential|authorization|cookie|^key$|^auth$|^pin$)`)
	texts := regexp.MustCompile(`(?i)bearer [a-z0-9._~+/=-]{8,}|\b(sk|pk|rk|ghp|gho|ghs|ghu|github_pat|glpat|xox[abeoprs]|mba|mbh|npm|hf)[-_][a-z0-9_-]{12,}|\bakia[a-z0-9]{16}\b|` +
		`\beyJ[a-z0-9_-]+\.[a-z0-9_-]+\.[a-z0-9_-]+|-----begin [a-z ]*private key-----[^-]*(-----end [a-z ]*private key-----)?|://[^/\s:@]+:[^/\s@]+@|` +
		`\b(password|passwd|secret|token|api[_-]?key)\s*[=:]\s*[^\s"',;]{4,}`)
	return &blanker{keys, texts}
}

// value is a JSON value as a trace keeps it.
func (b *blanker) value(value json.RawMessage) string {
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return ""
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if e.Encode(b.within(v)) != nil {
		return ""
	}
	return cut(strings.TrimRight(out.String(), "\n"), mostValue)
}

func (b *blanker) within(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, member := range v {
			if b.keys.MatchString(key) {
				v[key] = blank
				continue
			}
			v[key] = b.within(member)
		}
	case []any:
		for i := range v {
			v[i] = b.within(v[i])
		}
	case string:
		return b.texts.ReplaceAllString(v, blank)
	}
	return v
}

// answer are the texts of an answer as a trace keeps them. A text that is JSON
// is blanked as such.
func (b *blanker) answer(a Answer) string {
	var list []string
	for _, text := range a.Texts() {
		if t := strings.TrimSpace(text); strings.HasPrefix(t, "{") || strings.HasPrefix(t, "[") {
			if kept := b.value(json.RawMessage(t)); kept != "" {
				list = append(list, kept)
				continue
			}
		}
		list = append(list, b.texts.ReplaceAllString(text, blank))
	}
	return cut(strings.Join(list, "\n"), mostValue)
}
