package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"meterbridge/internal/cases"
)

// question is what of a case can be asked of every tool.
type question struct {
	// step is the number of the case's step that asks it.
	step int
	query
	wants []wanted
	// rows is the wanted number of rows of that key, negative for any; maxMiB the
	// most memory, 0 for any.
	rows   int
	maxMiB float64
}

// found is what a tool said to a question.
type found struct {
	// tokens and cost say what differs; empty when nothing does.
	tokens, cost string
	// note is what is worth saying beside a right number.
	note string
	// asked is false where the tool has no such report.
	asked bool
}

// result is a case with what each tool said.
type result struct {
	c     *cases.Case
	q     *question
	found []found
	// memory: the logs that are left do not tell the right numbers.
	memory bool
	// peakMiB is what our program took to read the logs.
	peakMiB float64
}

func (s settings) compareCases(out io.Writer, tools []tool) error {
	list, err := cases.All(s.cases)
	if err != nil {
		return err
	}
	var results []result
	for i := range list {
		c := &list[i]
		if s.only != "" && c.ID != s.only {
			continue
		}
		r, err := s.compareCase(c, tools)
		if err != nil {
			return fmt.Errorf("%s: %w", c.ID, err)
		}
		fmt.Fprintln(os.Stderr, c.ID)
		results = append(results, r)
	}
	printCases(out, tools, results)
	return nil
}

// ask finds the last step whose wanted numbers have a report in other tools: the
// totals of any, rows by day, week, month and model.
func ask(c *cases.Case) *question {
	for i := len(c.Steps) - 1; i >= 0; i-- {
		step := &c.Steps[i]
		if len(step.Run) < 2 || step.Run[0] != "usage" {
			continue
		}
		by := map[string]string{"daily": "day", "weekly": "week", "monthly": "month", "model": "model"}[step.Run[1]]
		q := &question{step: i, query: query{harness: c.Harness}, rows: -1}
		if len(step.Expect.Totals) > 0 {
			q.wants = append(q.wants, wanted{want: step.Expect.Totals})
		}
		for _, row := range step.Expect.Rows {
			if key, ok := row.Match[by].(string); ok {
				q.by = by
				q.wants = append(q.wants, wanted{key: key, want: row.Want})
			}
		}
		if step.Expect.RowCount != nil && q.by != "" {
			q.rows = *step.Expect.RowCount
		}
		if step.Expect.MaxRSSMiB != nil {
			q.maxMiB = *step.Expect.MaxRSSMiB
		}
		q.flags(step.Run)
		if len(q.wants) > 0 && q.hasNumbers() {
			return q
		}
	}
	return nil
}

func (q *question) flags(args []string) {
	for i := 0; i+1 < len(args); i++ {
		for flag, to := range map[string]*string{
			"--timezone": &q.zone, "--week-start": &q.weekStart, "--since": &q.since, "--until": &q.until, "--session": &q.session, "--cost": &q.cost,
		} {
			if args[i] == flag {
				*to = args[i+1]
			}
		}
	}
}

func (q *question) hasNumbers() bool {
	for _, w := range q.wants {
		for field := range w.want {
			if _, ok := classes(&sums{})[field]; ok || field == "costMicroUsd" {
				return true
			}
		}
	}
	return false
}

// compareCase plays a case up to its question and asks every tool. Ours, the
// first, has read the logs at each step that runs it; the others read what is
// there at the end.
func (s settings) compareCase(c *cases.Case, tools []tool) (result, error) {
	r := result{c: c, q: ask(c)}
	if r.q == nil {
		return r, nil
	}
	home, err := os.MkdirTemp(s.dir, "case-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(home)
	if home, err = filepath.EvalSymlinks(home); err != nil {
		return r, err
	}
	stage := c.At(home)
	program := tools[0].(ours).program
	for i := range c.Steps[:r.q.step+1] {
		step := &c.Steps[i]
		if err := stage.Prepare(step); err != nil {
			return r, err
		}
		if len(step.Run) > 0 {
			_, peak, err := output(stage.Environ(), program, stage.Args(step)...)
			if err != nil {
				return r, err
			}
			r.peakMiB = max(r.peakMiB, peak)
		}
	}
	return r, r.ask(stage.Environ(), tools)
}

func (r *result) ask(env []string, tools []tool) error {
	if err := r.prepare(env, tools[0]); err != nil {
		return err
	}
	for i, t := range tools {
		a, err := t.ask(env, r.q.query)
		switch {
		case errors.Is(err, errNoReport):
			r.found = append(r.found, found{})
		case err != nil:
			r.found = append(r.found, found{asked: true, tokens: "stops: " + strings.ReplaceAll(err.Error(), "\n", " ")})
		default:
			if i == 0 { // it was not this run that read the logs
				a[""].peakMiB = r.peakMiB
			}
			r.found = append(r.found, r.differ(a))
		}
	}
	return nil
}

// prepare finds out with our own program what the question needs to know: how
// much of output is reasoning, whether the home is of several harnesses, and
// whether its logs alone tell the right numbers.
func (r *result) prepare(env []string, own tool) error {
	mine, err := own.ask(env, r.q.query)
	if err != nil {
		return err
	}
	for i := range r.q.wants {
		w := &r.q.wants[i]
		if got := mine[w.key]; got != nil {
			w.reasoning = max(0, got.reasoning)
		}
	}
	if everywhere, err := own.ask(env, query{by: "harness", zone: r.q.zone}); err == nil && len(everywhere) > 2 {
		r.q.harness = everyHarness
	}
	afresh := append(env[:len(env):len(env)], "METERBRIDGE_HOME="+homeOf(env)+"/afresh")
	anew, err := own.ask(afresh, r.q.query)
	r.memory = err != nil || r.differ(anew).tokens != ""
	return nil
}

func homeOf(env []string) string {
	for _, v := range env {
		if home, ok := strings.CutPrefix(v, "HOME="); ok {
			return home
		}
	}
	return ""
}

func (r *result) differ(a answer) found {
	f := found{asked: true}
	var tokens, costs []string
	for _, w := range r.q.wants {
		if d := w.tokensDiffer(a); d != "" {
			tokens = append(tokens, d)
		}
		if _, ok := w.want["costMicroUsd"]; !ok {
			continue
		}
		if d := w.costDiffers(a); d != "" {
			costs = append(costs, d)
		}
	}
	if n := a.filled(); r.q.rows >= 0 && n != r.q.rows && len(tokens) == 0 {
		tokens = append(tokens, fmt.Sprintf("%d rows, right %d", n, r.q.rows))
	}
	if peak := a[""].peakMiB; r.q.maxMiB > 0 && peak > r.q.maxMiB {
		f.note = fmt.Sprintf("with %.0f MiB of memory, allowed are %.0f", peak, r.q.maxMiB)
	}
	f.tokens, f.cost = strings.Join(tokens, "; "), strings.Join(costs, "; ")
	return f
}

// wantsCost reports whether the case wants a cost, wantsTokens whether tokens.
func (q *question) wantsCost() bool {
	for _, w := range q.wants {
		if _, ok := w.want["costMicroUsd"]; ok {
			return true
		}
	}
	return false
}

func (q *question) wantsTokens() bool {
	for _, w := range q.wants {
		for field := range classes(&sums{}) {
			if _, ok := w.want[field]; ok {
				return true
			}
		}
	}
	return false
}
