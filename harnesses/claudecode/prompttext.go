package claudecode

import "strings"

// verdict is what a text in the user's place is.
type verdict int

const (
	noPrompt verdict = iota
	typedPrompt
	// commandPrompt is a slash command of the client: a prompt only if the model
	// answers it.
	commandPrompt
)

// byMachine reports whether the text is what the client writes in the user's place.
func byMachine(text string) bool {
	for _, head := range [...]string{
		"<local-command-stdout>", "<local-command-stderr>", "<local-command-caveat>",
		"<bash-input>", "<bash-stdout>", "<bash-stderr>", "<task-notification>",
	} {
		if strings.HasPrefix(text, head) {
			return true
		}
	}
	return false
}

// judge tells what a text is, and the part of it that a person wrote.
func judge(text string) (verdict, string) {
	text = strings.TrimSpace(withoutReminders(text))
	switch {
	case byMachine(text):
		return noPrompt, ""
	case strings.HasPrefix(text, "<command-message>"):
		return typedPrompt, commandLine(text)
	case strings.HasPrefix(text, "<command-name>"):
		return commandPrompt, commandLine(text)
	case bareCommand(text):
		return commandPrompt, text
	}
	return typedPrompt, text
}

// withoutReminders takes off the reminders that the client puts before a prompt.
func withoutReminders(text string) string {
	const open, end = "<system-reminder>", "</system-reminder>"
	for {
		trimmed := strings.TrimLeft(text, " \t\r\n")
		if !strings.HasPrefix(trimmed, open) {
			return text
		}
		_, rest, found := strings.Cut(trimmed, end)
		if !found {
			return ""
		}
		text = rest
	}
}

// commandLine is a slash command as it was typed: "/review 12".
func commandLine(text string) string {
	name := between(text, "<command-name>", "</command-name>")
	if name == "" {
		name = between(text, "<command-message>", "</command-message>")
	}
	return strings.TrimSpace(name + " " + between(text, "<command-args>", "</command-args>"))
}

func between(text, open, end string) string {
	_, rest, found := strings.Cut(text, open)
	if !found {
		return ""
	}
	inner, _, _ := strings.Cut(rest, end)
	return strings.TrimSpace(inner)
}

// bareCommand reports whether the text is one word that begins with a slash and
// is no path.
func bareCommand(text string) bool {
	return len(text) > 1 && text[0] == '/' && !strings.ContainsAny(text[1:], "/ \t\r\n.")
}
