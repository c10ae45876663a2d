package pricing

import (
	"strings"
	"time"
)

// These are the only edits that a model's name may undergo before it is looked
// up again. Names are in lower case here.

// cutNeutral takes one ending off that says nothing about the price: a client's
// context marker, a date, a default marker, a version of a deployment.
func cutNeutral(name string) (string, bool) {
	for _, end := range [...]string{"@default", "[1m]"} {
		if rest, ok := strings.CutSuffix(name, end); ok {
			return rest, rest != ""
		}
	}
	if rest, ok := cutVersion(name); ok {
		return rest, true
	}
	return cutDate(name)
}

// cutVersion takes "-vN:M" off; a bare "-vN" is a part of the name.
func cutVersion(name string) (string, bool) {
	i := strings.LastIndex(name, "-v")
	if i <= 0 {
		return name, false
	}
	major, minor, ok := strings.Cut(name[i+2:], ":")
	if !ok || !digits(major) || !digits(minor) {
		return name, false
	}
	return name[:i], true
}

// cutDate takes "-YYYY-MM-DD", "-YYYYMMDD" or "@YYYYMMDD" off, if it is a real
// day from 2023 on.
func cutDate(name string) (string, bool) {
	for _, form := range [...]struct{ lead, layout string }{
		{"-", time.DateOnly}, {"-", "20060102"}, {"@", "20060102"},
	} {
		i := len(name) - len(form.layout) - len(form.lead)
		if i <= 0 || !strings.HasPrefix(name[i:], form.lead) {
			continue
		}
		day, err := time.Parse(form.layout, name[i+len(form.lead):])
		if err == nil && day.Year() >= 2023 {
			return name[:i], true
		}
	}
	return name, false
}

func digits(s string) bool {
	return s != "" && len(s) <= 4 && strings.Trim(s, "0123456789") == ""
}

// cutMode takes an ending off that names a service mode.
func cutMode(name string) (rest, mode string, ok bool) {
	for _, mode := range [...]string{"fast", "priority", "flex"} {
		if rest, ok := strings.CutSuffix(name, "-"+mode); ok && rest != "" {
			return rest, mode, true
		}
	}
	return name, "", false
}

// cutEffort takes an ending off that says how long the model may think; the
// price of a token does not depend on it. "-max" is a part of several names, so
// it is only taken off in brackets.
func cutEffort(name string) (string, bool) {
	if rest, ok := strings.CutSuffix(name, "-thinking"); ok && rest != "" {
		return rest, true
	}
	for _, effort := range [...]string{"minimal", "low", "medium", "high", "xhigh", "none", "max"} {
		if rest, ok := strings.CutSuffix(name, " ("+effort+")"); ok && rest != "" {
			return rest, true
		}
		if rest, ok := strings.CutSuffix(name, "-"+effort); ok && rest != "" && effort != "max" {
			return rest, true
		}
	}
	return name, false
}

// withoutTransport takes one prefix off that only says how the model was
// reached: the provider's own name or alias, "models/", "publishers/X/models/".
func (d *document) withoutTransport(p *provider, name string) (string, bool) {
	first, rest, ok := strings.Cut(name, "/")
	if !ok || rest == "" {
		return name, false
	}
	if first == "models" || d.canonical(first) == strings.ToLower(p.id) {
		return rest, true
	}
	if first == "publishers" {
		_, rest, _ = strings.Cut(rest, "/")
		if id, ok := strings.CutPrefix(rest, "models/"); ok && id != "" {
			return id, true
		}
	}
	return name, false
}

// lastOfARN is the last element of an Amazon resource name.
func lastOfARN(name string) string {
	if !strings.HasPrefix(name, "arn:") {
		return name
	}
	return name[strings.LastIndex(name, "/")+1:]
}
