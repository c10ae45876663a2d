package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"meterbridge/internal/daemon"
)

func newConfirmCmd(a *app) *cobra.Command {
	var yes, no bool
	var allow string
	cmd := &cobra.Command{
		Use: "confirm [PROMPT|CALL]", Short: "Decide on prompts and calls of tools that wait for a person", Args: cobra.MaximumNArgs(1),
		Long: "A prompt that no person sends, to an agent that acts without asking, waits two minutes\n" +
			"for a decision. This command shows each one as it comes and asks; it ends with Ctrl-C.\n" +
			"While it runs, such prompts are seen; otherwise they are refused, unless the dashboard\nis open.\n" +
			"A call of a tool that changes things waits here when `[bridge] ask = \"bridge\"` says so,\n" +
			"as long as the tool may take.",
		Example: "  meterbridge confirm\n  meterbridge confirm pr-3f2a9c01b7 --send\n  meterbridge confirm ca-3 --allow agent",
		RunE: func(cmd *cobra.Command, args []string) error {
			id := strings.Join(args, "")
			if !oneVerdict(id, yes, allow != "", no) {
				return usagef("give one of them", "--send or --decline of a prompt, --allow or --decline of a call")
			}
			return a.withMeter(cmd.Context(), func(m *daemon.Meter) error {
				switch {
				case id == "":
					return a.decide(cmd.Context(), m)
				case isCall(id):
					return a.allowed(m, id, cmp.Or(allow, "decline"))
				}
				return a.decided(m, id, yes)
			})
		},
	}
	cmd.Flags().BoolVar(&yes, "send", false, "send the prompt that is named")
	cmd.Flags().BoolVar(&no, "decline", false, "decline it")
	cmd.Flags().StringVar(&allow, "allow", "", "allow the call that is named: once, agent (its agent from now on) or always")
	return cmd
}

// isCall tells the id of a held call from that of a prompt.
func isCall(id string) bool { return strings.HasPrefix(id, "ca-") }

// oneVerdict reports whether there is one verdict on what an id names, in the words of
// its kind, and none where nothing is named: what is not understood must decide nothing.
func oneVerdict(id string, send, allow, decline bool) bool {
	yes, foreign := send, allow
	if isCall(id) {
		yes, foreign = allow, send
	}
	return !foreign && (yes != decline) == (id != "") && !(yes && decline)
}

func (a *app) decided(m *daemon.Meter, id string, send bool) error {
	if err := m.DecidePrompt(id, send); err != nil {
		return err
	}
	word := "declined"
	if send {
		word = "let through"
	}
	_, err := fmt.Fprintf(a.out, "%s was %s.\n", plain(id), word)
	return err
}

// confirmBeat is how often it is looked for prompts that wait.
const confirmBeat = 300 * time.Millisecond

// decide asks about each prompt that waits, until the person leaves.
func (a *app) decide(ctx context.Context, m *daemon.Meter) error {
	leave, err := m.Decider()
	if err != nil {
		return err
	}
	defer leave()
	fmt.Fprintln(a.out, "Waiting for prompts and calls that need a decision; Ctrl-C ends this.")
	lines := bufio.NewScanner(a.in)
	beat := time.NewTicker(confirmBeat)
	defer beat.Stop()
	for {
		list, err := m.Prompts(ctx, "")
		if err != nil {
			return err
		}
		for _, p := range list.Rows {
			if p.State != "waiting" {
				continue
			}
			fmt.Fprintf(a.out, "\n%s to %s, which acts without asking:\n%s\nSend it? [y/N] ", plain(p.Sender.Name), plain(p.AgentName), indented(p.Text))
			if !lines.Scan() {
				return lines.Err()
			}
			if err := a.decided(m, p.ID, strings.EqualFold(strings.TrimSpace(lines.Text()), "y")); err != nil {
				fmt.Fprintln(a.out, err)
			}
		}
		if ended, err := a.askCalls(m, lines); ended || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-beat.C:
		}
	}
}

// indented is a text of somebody else, as it may be shown on a terminal.
func indented(text string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		b.WriteString("  " + plain(line) + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}
