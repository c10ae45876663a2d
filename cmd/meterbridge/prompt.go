package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"meterbridge/internal/daemon"
)

func newPromptCmd(a *app) *cobra.Command {
	whenBusy := []string{"queue", "send", "fail"}
	var p daemon.SendPrompt
	var noSubmit bool
	var at string
	cmd := &cobra.Command{
		Use: "prompt ID TEXT", Short: "Send a prompt to an agent", Args: cobra.MinimumNArgs(1),
		Long: "Types a prompt into an agent's terminal when it is free, and presses Enter. While the\n" +
			"agent works the prompt waits in its queue; nothing is ever typed into an open question.\n" +
			"Without TEXT, or with -, the text is read from standard input.",
		Example: `  meterbridge prompt worker "run the tests"
  meterbridge prompt worker --at 18:30 "write the summary"
  meterbridge prompt reviewer --after worker "review what changed"
  git diff | meterbridge prompt reviewer -`,
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if !slices.Contains(whenBusy, p.WhenBusy) {
				return usagef("--when-busy is one of "+strings.Join(whenBusy, ", "), "--when-busy %q is unknown", p.WhenBusy)
			}
			if p.Text, err = a.promptText(args[1:]); err != nil {
				return err
			}
			p.Agent, p.Insert = args[0], noSubmit
			if p.At, p.AtReset, err = a.promptTime(at); err != nil {
				return err
			}
			return a.withMeter(cmd.Context(), func(m *daemon.Meter) error {
				sent, err := m.Prompt(cmd.Context(), p)
				if err != nil {
					return err
				}
				if a.json {
					return a.printJSON(sent)
				}
				return a.promptDone(sent)
			})
		},
	}
	cmd.Flags().BoolVar(&noSubmit, "no-submit", false, "type the text and do not press Enter")
	cmd.Flags().StringVar(&p.WhenBusy, "when-busy", "queue", "while the agent works: queue, send (the harness queues it or steers by it) or fail")
	cmd.Flags().BoolVar(&p.Command, "command", false, "the text may be a command of the agent (it begins with ! / # or @)")
	cmd.Flags().StringVar(&at, "at", "", "not before this time: 18:30, 2026-11-30T18:30, or reset for when the harness's limit resets")
	cmd.Flags().StringVar(&p.After, "after", "", "not before this agent has finished a turn")
	_ = cmd.RegisterFlagCompletionFunc("when-busy", cobra.FixedCompletions(whenBusy, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// mostTyped bounds a prompt from standard input, in bytes.
const mostTyped = 4 << 20

func (a *app) promptText(words []string) (string, error) {
	if len(words) > 0 && (len(words) > 1 || words[0] != "-") {
		return strings.Join(words, " "), nil
	}
	text, err := io.ReadAll(io.LimitReader(a.in, mostTyped))
	if err != nil {
		return "", fmt.Errorf("read the prompt: %w", err)
	}
	return strings.TrimRight(string(text), "\n"), nil
}

// promptTime reads --at: a time of today or, when that is over, of tomorrow; or an
// instant.
func (a *app) promptTime(at string) (t time.Time, reset bool, err error) {
	switch at {
	case "":
		return t, false, nil
	case "reset":
		return t, true, nil
	}
	now := a.now()
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04"} {
		if t, err = time.ParseInLocation(layout, at, now.Location()); err == nil {
			return t, false, nil
		}
	}
	clock, err := time.Parse("15:04", at)
	if err != nil {
		return t, false, usagef("write 18:30, 2026-11-30T18:30 or reset", "--at %q is no time", at)
	}
	t = time.Date(now.Year(), now.Month(), now.Day(), clock.Hour(), clock.Minute(), 0, 0, now.Location())
	if !t.After(now) {
		t = t.AddDate(0, 0, 1)
	}
	return t, false, nil
}

// promptDone says what became of a prompt. One that was typed and not taken is an
// error: nobody should take it for sent.
func (a *app) promptDone(p daemon.PromptAnswer) error {
	name := plain(p.AgentName)
	why := ""
	if p.Reason != nil {
		why = " (" + *p.Reason + ")"
	}
	switch p.State {
	case "sent":
		fmt.Fprintf(a.out, "Sent to %s.\n", name)
	case "inserted":
		fmt.Fprintf(a.out, "Typed into %s; Enter is yours.\n", name)
	case "queued":
		fmt.Fprintf(a.out, "Waits for %s as %s%s.\n", name, p.ID, why)
	default:
		return &daemon.Fault{Err: fmt.Errorf("the prompt %s to %s is %s%s", p.ID, name, p.State, why), Hint: "`meterbridge screen " + p.AgentName + "` shows its terminal"}
	}
	return nil
}
