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

// dollars writes micro-USD for people: cents from a dollar on, finer below. The
// exact figure is in the JSON.
func dollars(micro *int64, partial bool) string {
	if micro == nil {
		return notReported
	}
	n, decimals, unit := *micro, 2, int64(10_000)
	switch {
	case n != 0 && n < 10_000:
		decimals, unit = 6, 1
	case n != 0 && n < 1_000_000:
		decimals, unit = 4, 100
	}
	n = (n + unit/2) / unit
	scale := 1_000_000 / unit
	s := fmt.Sprintf("$%s.%0*d", grouped(n/scale), decimals, n%scale)
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
