package daemon

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"meterbridge"
	"meterbridge/analytics"
	"meterbridge/bridge"
)

// toolFiles holds, for each tool, what agents are told of it (NAME.json) and the
// schema of its answers (NAME.output.json).
//
//go:embed tools/*.json
var toolFiles embed.FS

// meterTools are the tools that answer what commands answer.
type meterTools struct {
	lender
	// patience is how long a question waits for what is new to be read.
	patience time.Duration
}

// toolTime is how long a question may take; clients wait a minute.
const toolTime = 50 * time.Second

// newTools makes the tools, all of them read-only.
func newTools(l lender) ([]bridge.Tool, error) {
	t := &meterTools{lender: l, patience: 15 * time.Second}
	var list []bridge.Tool
	var errs []error
	add := func(tool bridge.Tool, err error) {
		list, errs = append(list, tool), append(errs, err)
	}
	add(question(t, "meter_usage", (*meterTools).usage))
	add(question(t, "meter_sessions", (*meterTools).sessions))
	add(question(t, "meter_timeline", (*meterTools).timeline))
	add(question(t, "meter_explain", (*meterTools).explain))
	add(question(t, "meter_budget", (*meterTools).budget))
	add(question(t, "meter_pricing", (*meterTools).pricing))
	return list, errors.Join(errs...)
}

// toolReply is the answer of one question before it is cut to size.
type toolReply struct {
	// build makes the answer with at most so many entries in each list, and tells
	// what it left out.
	build func(most int) (answer any, left leftOut)
	// most is how many entries each list has unless that is too much.
	most int
	// text is the answer in a sentence.
	text string
}

// whole is the toolReply whose answer has nothing that can be left out.
func whole(answer any, text string) toolReply {
	return toolReply{build: func(int) (any, leftOut) { return answer, nil }, most: 1, text: text}
}

// question makes a tool of a method that answers In.
func question[In any](t *meterTools, name string, ask func(*meterTools, context.Context, *Meter, In) (toolReply, error)) (bridge.Tool, error) {
	tool, err := readTool(name)
	tool.Call = func(ctx context.Context, _ bridge.Identity, args json.RawMessage) (bridge.Result, error) {
		var in In
		if err := json.Unmarshal(args, &in); err != nil {
			return bridge.Result{}, invalid("%v", err)
		}
		stale, err := t.freshenFor(ctx, in)
		if err != nil {
			return bridge.Result{}, toolError(err)
		}
		var result bridge.Result
		err = t.lend(ctx, func(m *Meter) error {
			r, err := ask(t, ctx, m, in)
			if err == nil {
				result, err = r.result(stale)
			}
			return err
		})
		return result, toolError(err)
	}
	return tool, err
}

func readTool(name string) (bridge.Tool, error) {
	var told struct {
		Title, Description string
		Input              json.RawMessage
	}
	text, err := toolFiles.ReadFile("tools/" + name + ".json")
	if err == nil {
		err = json.Unmarshal(text, &told)
	}
	if err != nil {
		return bridge.Tool{}, fmt.Errorf("tool %s: %w", name, err)
	}
	output, err := toolFiles.ReadFile("tools/" + name + ".output.json")
	if err != nil {
		return bridge.Tool{}, fmt.Errorf("tool %s: %w", name, err)
	}
	var in, out bytes.Buffer
	if err := errors.Join(json.Compact(&in, told.Input), json.Compact(&out, output)); err != nil {
		return bridge.Tool{}, fmt.Errorf("tool %s: %w", name, err)
	}
	return bridge.Tool{
		Name: name, Title: told.Title, Description: told.Description, Input: in.Bytes(), Output: out.Bytes(),
		Annotations: bridge.ReadOnly(), Timeout: toolTime,
	}, nil
}

// freshenFor reads what is new unless the question is of the price table alone.
func (t *meterTools) freshenFor(ctx context.Context, in any) (stale string, err error) {
	if about, ok := in.(interface{ ofPrices() bool }); ok && about.ofPrices() {
		return "", nil
	}
	return t.freshen(ctx)
}

// freshen reads what is new, as far as that is soon done; else the answer is of
// what is known by now, and stale says so.
func (t *meterTools) freshen(ctx context.Context) (stale string, err error) {
	limited, cancel := context.WithTimeout(ctx, t.patience)
	defer cancel()
	err = t.refresh(limited)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return "the logs are still being read, so these numbers are not complete; ask again in a minute", nil
	}
	return "", err
}

// toolError says in words for a model what a person is told with a hint.
func toolError(err error) error {
	var period *meterbridge.PeriodError
	var several *analytics.AmbiguousError
	var fault *Fault
	switch {
	case err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &period):
		return invalid("%s: %s; %s", period.Name, period.Reason, period.Hint)
	case errors.As(err, &fault):
		code := bridge.CodeFailed
		switch {
		case fault.Nothing:
			code = bridge.CodeNotFound
		case fault.Wrong || errors.As(err, &several):
			code = bridge.CodeInvalidParams
		}
		hint := strings.ReplaceAll(fault.Hint, "`meterbridge sessions` lists the sessions", "meter_sessions lists the sessions")
		return &bridge.ToolError{Code: code, Message: strings.TrimSuffix(err.Error()+"; "+hint, "; ")}
	}
	return err
}

func invalid(format string, args ...any) error {
	return &bridge.ToolError{Code: bridge.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

// isHarness refuses a harness that is not read.
func isHarness(id string) error {
	if ids := HarnessIDs(); id != "" && !slices.Contains(ids, id) {
		return invalid("`/harness`: the harnesses are %s", strings.Join(ids, ", "))
	}
	return nil
}

// periodIn are the arguments that choose a stretch of time and its zone.
type periodIn struct {
	Since     string `json:"since"`
	Until     string `json:"until"`
	Timezone  string `json:"timezone"`
	WeekStart string `json:"weekStart"`
}

func (p periodIn) resolve(m *Meter) (meterbridge.Period, error) {
	text := meterbridge.PeriodText{Since: p.Since, Until: p.Until, Zone: p.Timezone, WeekStart: p.WeekStart}
	return text.Resolve(m.Period())
}
