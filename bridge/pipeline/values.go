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

// secretKeys are names of members that hold secrets.
func secretKeys() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(secret|token|passw|passphrase|api_?-?key|private_?-?key|credential|authorization|cookie|^key$|^auth$|^pin$)`)
}

// secretTexts are forms of secrets in texts: well-known prefixes, bearers, signed
// tokens, keys in PEM, passwords in addresses.
func secretTexts() *regexp.Regexp {
	return regexp.MustCompile(`(?i)bearer [a-z0-9._~+/=-]{8,}|\b(sk|pk|rk|ghp|gho|ghs|ghu|github_pat|glpat|xox[abeoprs]|mba|mbh|npm|hf)[-_][a-z0-9_-]{12,}|\bakia[a-z0-9]{16}\b|` +
		`\beyJ[a-z0-9_-]+\.[a-z0-9_-]+\.[a-z0-9_-]+|-----begin [a-z ]*private key-----[^-]*(-----end [a-z ]*private key-----)?|://[^/\s:@]+:[^/\s@]+@|` +
		`\b(password|passwd|secret|token|api[_-]?key)\s*[=:]\s*[^\s"',;]{4,}`)
}

// blanked is a JSON value as a trace keeps it.
func blanked(value json.RawMessage) string {
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return ""
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if e.Encode(blankIn(v, secretKeys(), secretTexts())) != nil {
		return ""
	}
	return cut(strings.TrimRight(out.String(), "\n"), mostValue)
}

func blankIn(v any, keys, texts *regexp.Regexp) any {
	switch v := v.(type) {
	case map[string]any:
		for key, member := range v {
			if keys.MatchString(key) {
				v[key] = blank
				continue
			}
			v[key] = blankIn(member, keys, texts)
		}
	case []any:
		for i := range v {
			v[i] = blankIn(v[i], keys, texts)
		}
	case string:
		return texts.ReplaceAllString(v, blank)
	}
	return v
}

// blankedAnswer are the texts of an answer as a trace keeps them. A text that is JSON
// is blanked as such.
func blankedAnswer(a Answer) string {
	var list []string
	for _, text := range a.Texts() {
		if t := strings.TrimSpace(text); strings.HasPrefix(t, "{") || strings.HasPrefix(t, "[") {
			if kept := blanked(json.RawMessage(t)); kept != "" {
				list = append(list, kept)
				continue
			}
		}
		list = append(list, secretTexts().ReplaceAllString(text, blank))
	}
	return cut(strings.Join(list, "\n"), mostValue)
}
