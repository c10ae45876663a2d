package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// notReported is what people see for null: never a 0.
const notReported = "–"

// grouped writes n with a comma between thousands.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

func count(n *int64) string {
	if n == nil {
		return notReported
	}
	return grouped(*n)
}

// dollars writes micro-USD with two decimals, with more when the amount is small.
func dollars(micro *int64, partial bool) string {
	if micro == nil {
		return notReported
	}
	n := *micro
	var s string
	switch {
	case n == 0 || n >= 1_000_000:
		s = "$" + grouped(n/1_000_000) + fmt.Sprintf(".%02d", n%1_000_000/10_000)
	default:
		s = "$" + strings.TrimRight(fmt.Sprintf("0.%06d", n), "0")
		if len(s) < len("$0.00") {
			s += strings.Repeat("0", len("$0.00")-len(s))
		}
	}
	if partial {
		s += "*"
	}
	return s
}

func text(s *string) string {
	if s == nil || *s == "" {
		return notReported
	}
	return *s
}

// printJSON writes an answer as indented JSON.
func (a *app) printJSON(v any) error {
	e := json.NewEncoder(a.out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
