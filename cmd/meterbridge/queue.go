package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"meterbridge/internal/daemon"
)

func newQueueCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "queue [ID]", Short: "Prompts that wait for agents", Args: cobra.MaximumNArgs(1),
		Long: "Lists the prompts that wait, of one agent or of all. One goes out each time its agent\n" +
			"finishes a turn; after an interrupt or an error the queue waits for the next finish, or\n" +
			"for `queue go`.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withMeter(cmd.Context(), func(m *daemon.Meter) error {
				list, err := m.Prompts(cmd.Context(), strings.Join(args, ""))
				if err != nil {
					return err
				}
				if a.json {
					return a.printJSON(list)
				}
				return a.queueTable(list)
			})
		},
	}
	subs := askingDaemon(newQueueLogCmd(a), newQueueEditCmd(a), newQueueMoveCmd(a), newQueueRemoveCmd(a), newQueueGoCmd(a))
	cmd.AddCommand(subs...)
	return cmd
}

func (a *app) queueTable(list daemon.PromptList) error {
	if len(list.Rows) == 0 {
		_, err := fmt.Fprintln(a.out, "No prompt waits.")
		return err
	}
	g := grid{columns: []column{
		{name: "ID"},
		{name: "Agent", shrink: true},
		{name: "#", right: true, drop: 3},
		{name: "From", shrink: true, drop: 2},
		{name: "For", right: true, drop: 4},
		{name: "State"},
		{name: "Why", shrink: true, drop: 1},
		{name: "Text", shrink: true},
	}}
	for _, r := range list.Rows {
		place := ""
		if r.Place != nil {
			place = strconv.Itoa(*r.Place)
		}
		g.rows = append(g.rows, []string{r.ID, r.AgentName, place, r.Sender.Name, a.since(r.CreatedAt), r.State, a.whyWaits(r), oneLine(r.Text)})
	}
	return g.print(a.out, a.width, a.colour())
}

// whyWaits is what a prompt waits for.
func (a *app) whyWaits(r daemon.PromptAnswer) string {
	switch {
	case r.Reason != nil:
		return *r.Reason
	case r.NotBefore != nil && *r.NotBefore > a.now().UnixMilli():
		return "until " + time.UnixMilli(*r.NotBefore).In(a.now().Location()).Format("2006-01-02 15:04")
	case r.After != nil:
		return "after " + *r.After
	}
	return ""
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func newQueueLogCmd(a *app) *cobra.Command {
	var last int
	cmd := &cobra.Command{
		Use: "log [ID]", Short: "What was delivered, and what it spent", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withMeter(cmd.Context(), func(m *daemon.Meter) error {
				list, err := m.PromptLog(cmd.Context(), strings.Join(args, ""), last)
				if err != nil {
					return err
				}
				if a.json {
					return a.printJSON(list)
				}
				return a.queueLogTable(list)
			})
		},
	}
	cmd.Flags().IntVar(&last, "last", 50, "the newest so many")
	return cmd
}

func (a *app) queueLogTable(list daemon.PromptList) error {
	if len(list.Rows) == 0 {
		_, err := fmt.Fprintln(a.out, "No prompt was sent yet.")
		return err
	}
	g := grid{columns: []column{
		{name: "When"},
		{name: "Agent", shrink: true},
		{name: "From", shrink: true, drop: 2},
		{name: "Result"},
		{name: "Length", right: true, drop: 4},
		{name: "Tokens", right: true, drop: 3},
		{name: "Cost", right: true},
		{name: "Text", shrink: true, drop: 1},
	}}
	for _, r := range list.Rows {
		result := r.State
		if r.Reason != nil {
			result += ": " + *r.Reason
		}
		at := r.CreatedAt
		if r.SentAt != nil {
			at = *r.SentAt
		}
		when := time.UnixMilli(at).In(a.now().Location()).Format("2006-01-02 15:04:05")
		g.rows = append(g.rows, []string{
			when, r.AgentName, r.Sender.Name, result, strconv.Itoa(r.Length), count(r.TotalTokens), dollars(r.CostMicroUSD, false), oneLine(r.Text),
		})
	}
	return g.print(a.out, a.width, a.colour())
}

// changedPrompt runs a change of a prompt that waits, and says what it did.
func (a *app) changedPrompt(cmd *cobra.Command, done string, fn func(m *daemon.Meter) (daemon.PromptAnswer, error)) error {
	return a.withMeter(cmd.Context(), func(m *daemon.Meter) error {
		p, err := fn(m)
		if err != nil {
			return err
		}
		if a.json {
			return a.printJSON(p)
		}
		_, err = fmt.Fprintf(a.out, "%s %s.\n", p.ID, done)
		return err
	})
}

func newQueueEditCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "edit PROMPT TEXT", Short: "Give a prompt that waits another text", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := a.promptText(args[1:])
			if err != nil {
				return err
			}
			return a.changedPrompt(cmd, "has the new text", func(m *daemon.Meter) (daemon.PromptAnswer, error) { return m.EditPrompt(cmd.Context(), args[0], text) })
		},
	}
}

func newQueueMoveCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "move PROMPT PLACE", Short: "Put it at a place of its queue, 1 for the first", Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			place, err := strconv.Atoi(args[1])
			if err != nil || place < 1 {
				return usagef("1 is the first", "%q is no place", args[1])
			}
			return a.changedPrompt(cmd, "was moved", func(m *daemon.Meter) (daemon.PromptAnswer, error) { return m.MovePrompt(cmd.Context(), args[0], place) })
		},
	}
}

func newQueueRemoveCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "remove PROMPT", Short: "Take it out", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.changedPrompt(cmd, "was removed", func(m *daemon.Meter) (daemon.PromptAnswer, error) { return m.RemovePrompt(cmd.Context(), args[0]) })
		},
	}
}

func newQueueGoCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "go ID", Short: "Let an agent's queue go on after an interrupt or an error", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withMeter(cmd.Context(), func(m *daemon.Meter) error {
				if err := m.GoOn(cmd.Context(), args[0]); err != nil {
					return err
				}
				_, err := fmt.Fprintf(a.out, "The queue of %s goes on.\n", plain(args[0]))
				return err
			})
		},
	}
}
