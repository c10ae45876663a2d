package fetch

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"meterbridge/bridge"
)

// refusedHeaders are those that extensions may not set, and the beginnings of such.
func refusedHeaders() (names, beginnings []string) {
	return []string{
		"host", "connection", "content-length", "transfer-encoding", "keep-alive", "upgrade", "te", "trailer", "expect", "cookie", "cookie2", "origin", "referer",
		"user-agent", "via", "forwarded", "x-real-ip", "cf-connecting-ip", "dnt",
	}, []string{"proxy-", "sec-", "x-forwarded-"}
}

const (
	maxHeaders = 64
	maxValue   = 8192
)

// headersOf are the headers of a request with its secrets filled in, and the names
// of those that hold one.
func headersOf(r Request) (headers http.Header, secret []string, err error) {
	if len(r.Headers) > maxHeaders {
		return nil, nil, bridge.Refuse(bridge.CodeInvalidParams, "headers: at most %d", maxHeaders)
	}
	headers = http.Header{}
	names, beginnings := refusedHeaders()
	for name, value := range r.Headers {
		lower := strings.ToLower(name)
		refused := slices.Contains(names, lower) || slices.ContainsFunc(beginnings, func(b string) bool { return strings.HasPrefix(lower, b) })
		switch {
		case !isName(name):
			return nil, nil, bridge.Refuse(bridge.CodeInvalidParams, "headers: %q is no name of a header", name)
		case refused:
			return nil, nil, bridge.Refuse(bridge.CodeInvalidParams, "headers: %s is not an extension's to set", lower)
		case headers.Get(name) != "":
			return nil, nil, bridge.Refuse(bridge.CodeInvalidParams, "headers: %s comes twice", lower)
		}
		filled, isSecret, err := fill(value, r.Secret)
		if err != nil {
			return nil, nil, err
		}
		if len(filled) > maxValue || !isValue(filled) {
			return nil, nil, bridge.Refuse(bridge.CodeInvalidParams, "headers: the value of %s is too long or has characters that headers may not have", lower)
		}
		headers.Set(name, filled)
		if isSecret {
			secret = append(secret, name)
		}
	}
	if headers.Get("User-Agent") == "" {
		headers.Set("User-Agent", "meterbridge-extension")
	}
	return headers, secret, nil
}

// fill puts secrets in the place of {{secret:KEY}}.
func fill(value string, secret func(string) (string, bool)) (filled string, found bool, err error) {
	if !strings.Contains(value, "{{secret:") {
		return value, false, nil
	}
	filled = regexp.MustCompile(`\{\{secret:([^{}]*)\}\}`).ReplaceAllStringFunc(value, func(place string) string {
		key := strings.TrimSuffix(strings.TrimPrefix(place, "{{secret:"), "}}")
		text, set := "", false
		if secret != nil {
			text, set = secret(key)
		}
		if !set {
			err = bridge.Refuse(bridge.CodeInvalidParams, "headers: the secret %q is not set; its user does that with `meterbridge ext settings`", key)
		}
		found = true
		return text
	})
	return filled, found, err
}

// isName tells whether a text is a token of HTTP.
func isName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune("!#$%&'*+-.^_`|~", c)
	})
}

// isValue tells whether a text may be the value of a header: no controls but tabs.
func isValue(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f })
}
