package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"meterbridge/internal/daemon"
)

// allowed answers for one call of a tool.
func (a *app) allowed(m *daemon.Meter, id, answer string) error {
	if err := m.DecideCall(id, answer); err != nil {
		return err
	}
	words := map[string]string{"once": "may go on", "agent": "may go on, as this agent's calls of the tool may from now on", "always": "may go on, as all calls of the tool may from now on", "decline": "was declined"}
	_, err := fmt.Fprintf(a.out, "The call %s %s.\n", plain(id), words[answer])
	return err
}

// askCalls asks about each call that waits; ended tells that nobody answers any more.
func (a *app) askCalls(m *daemon.Meter, lines *bufio.Scanner) (ended bool, err error) {
	for _, c := range m.HeldCalls() {
		fmt.Fprintf(a.out, "\n%s calls %s (%s) with\n%s\nAllow it? [o]nce, for this [a]gent from now on, al[w]ays, [N]o ", plain(c.AgentName), plain(c.Exposed), plain(c.Tool), indented(pretty(c.Arguments)))
		if !lines.Scan() {
			return true, lines.Err()
		}
		if err := a.allowed(m, c.ID, decisionOf(lines.Text())); err != nil {
			fmt.Fprintln(a.out, err)
		}
	}
	return false, nil
}

// decisionOf is the answer that a line means; what is not understood declines.
func decisionOf(line string) string {
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "o", "once", "y", "yes":
		return "once"
	case "a", "agent":
		return "agent"
	case "w", "always":
		return "always"
	}
	return "decline"
}

func pretty(value json.RawMessage) string {
	var out bytes.Buffer
	if json.Indent(&out, value, "", "  ") != nil {
		return string(value)
	}
	return out.String()
}
