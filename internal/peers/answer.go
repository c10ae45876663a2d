package main

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// query is what a tool is asked about a home.
type query struct {
	// harness is the id of the one that the home is of, or everyHarness.
	harness string
	// by is what rows are keyed by: day, week, month, model; empty for totals.
	by string
	// The rest are the flags of a case's command; empty for none.
	zone, weekStart, since, until, session, cost string
}

const everyHarness = "all"

// answer are a tool's sums: those of the key "" are the totals.
type answer map[string]*sums

// sums are tokens in one convention: input without cache, output with reasoning
// where the tool says so. A tool that shows none of a class has 0.
type sums struct {
	input, output, cacheRead, cacheWrite int64
	// reasoning is negative where the tool does not show it.
	reasoning int64
	// microUSD is rounded up; negative where there is no cost.
	microUSD int64
	// unpriced: the tool says that it has no price of some model.
	unpriced bool
	// peakMiB is the memory that the tool took; in totals only.
	peakMiB float64
}

func (a answer) at(key string) *sums {
	if a[key] == nil {
		a[key] = &sums{reasoning: -1, microUSD: -1}
	}
	return a[key]
}

// micro rounds an amount in USD up to micro-USD, once.
func micro(usd float64) int64 { return int64(math.Ceil(usd*1e6 - 1e-6)) }

// errNoReport: the tool has no report of that kind.
var errNoReport = errors.New("no such report")

// tool is a program that counts tokens.
type tool interface {
	// name is its name with the version.
	name() string
	// priced reports whether it is asked for costs too.
	priced() bool
	// ask runs it in an environment that os/exec takes.
	ask(env []string, q query) (answer, error)
}

// filled is the number of keys with tokens, the totals apart.
func (a answer) filled() int {
	n := 0
	for key, s := range a {
		if key != "" && s.input+s.output+s.cacheRead+s.cacheWrite > 0 {
			n++
		}
	}
	return n
}

// wanted are the right numbers of one key of an answer.
type wanted struct {
	key  string
	want map[string]any
	// reasoning is the part of output that is thinking, as far as the case or our
	// own answer tells: some programs show output without it.
	reasoning int64
}

// classes are the fields of a case that are compared, with their sums.
func classes(s *sums) map[string]int64 {
	return map[string]int64{
		"inputTokens": s.input, "outputTokens": s.output, "cacheReadTokens": s.cacheRead, "cacheWriteTokens": s.cacheWrite,
	}
}

// tokensDiffer says what of an answer is not as wanted; empty when nothing is.
// Null and 0 are the same here, and so is output shown without its reasoning.
func (w wanted) tokensDiffer(a answer) string {
	got := a[w.key]
	if got == nil {
		got = &sums{}
	}
	var differ []string
	for _, class := range []string{"inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"} {
		value, ok := w.want[class]
		if !ok {
			continue
		}
		want, _ := value.(float64) // null is 0
		n := classes(got)[class]
		if n == int64(want) || class == "outputTokens" && n == int64(want)-w.reasoning {
			continue
		}
		differ = append(differ, fmt.Sprintf("%s %d, right %d", strings.TrimSuffix(class, "Tokens"), n, int64(want)))
	}
	return w.label(differ)
}

// noPrice is said of a tool that names the model as one without a price.
const noPrice = "no price, and says so"

// costDiffers says how the cost is not as wanted.
func (w wanted) costDiffers(a answer) string {
	value := w.want["costMicroUsd"]
	got := a[w.key]
	if got == nil {
		got = &sums{microUSD: -1}
	}
	want, isNumber := value.(float64)
	switch {
	case isNumber && got.unpriced && got.microUSD != int64(want):
		return w.label([]string{noPrice})
	case isNumber && got.microUSD == int64(want), !isNumber && (got.microUSD < 0 || got.unpriced):
		return ""
	case !isNumber:
		return w.label([]string{fmt.Sprintf("%d, right unknown", got.microUSD)})
	}
	return w.label([]string{fmt.Sprintf("%d, right %d", got.microUSD, int64(want))})
}

func (w wanted) label(differ []string) string {
	text := strings.Join(differ, "; ")
	if w.key != "" && text != "" {
		return w.key + ": " + text
	}
	return text
}
