package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"meterbridge/internal/daemon"
)

// whole is a text of an extension for a terminal: harmless, and of its full length,
// as it is what its user agrees to.
func whole(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		return plainRune(r)
	}, s)
}

// extText shows everything of an extension.
func extText(x daemon.ExtensionAnswer, out io.Writer) error {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-12s  %s\n", name, whole(value))
		}
	}
	line("Extension", fmt.Sprintf("%s (%s) %s, %s", x.DisplayName, x.Name, x.Version, x.Dialect))
	line("By", text(x.Author)+", unchecked")
	line("About", x.Description)
	if x.State != "" { // it is installed, and not only looked at
		line("State", strings.TrimSuffix(x.State+", "+orEmpty(x.Why), ", "))
	}
	line("From", x.Source)
	line("Digest", orEmpty(x.Tree))
	line("Runs", commandText(x))
	line("Confinement", orEmpty(x.Confinement))
	line("Environment", strings.Join(x.Env, " "))
	if len(x.SecretsEnv) > 0 {
		line("Secrets", "! "+strings.Join(x.SecretsEnv, " ")+" (it is given these variables of the daemon)")
	}
	line("Linked to", strings.Join(x.Links, ", "))
	if x.State != "" { // it is installed, and not only looked at
		line("Workspace", workspaceText(x))
	}
	for _, issue := range x.Issues {
		line("Fault", issue)
	}
	b.WriteString(permissionsText(x))
	if len(x.Settings) > 0 {
		b.WriteString("\nSettings\n" + settingsText(x))
	}
	for _, t := range x.ToolList {
		b.WriteString("\n" + toolText(t))
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func commandText(x daemon.ExtensionAnswer) string {
	if len(x.Command) == 0 {
		return ""
	}
	words := strings.Join(x.Command, " ")
	if x.Program != nil && *x.Program != x.Command[0] {
		words += "  (" + *x.Program + ")"
	}
	return words
}

func permissionsText(x daemon.ExtensionAnswer) string {
	if len(x.Permissions) == 0 {
		return "\nIt asks for no permission.\n"
	}
	var b strings.Builder
	b.WriteString("\nPermissions\n")
	for _, p := range x.Permissions {
		mark := "  "
		if p.Risk == "high" {
			mark = "! "
		}
		fmt.Fprintf(&b, "%s%s: %s (%s risk", mark, p.ID, p.Meaning, p.Risk)
		if p.Optional {
			b.WriteString(", optional")
		}
		if p.Granted {
			b.WriteString(", granted")
		}
		b.WriteString(")\n")
		if len(p.Hosts) > 0 {
			fmt.Fprintf(&b, "    hosts: %s\n", whole(strings.Join(p.Hosts, " ")))
		}
		if p.Reason != nil {
			fmt.Fprintf(&b, "    it says: %s\n", whole(*p.Reason))
		}
	}
	return b.String()
}

// toolText is a tool as a model is told of it.
func toolText(t daemon.ExtensionTool) string {
	var b strings.Builder
	name := orEmpty(t.Exposed)
	if name == "" {
		name = t.ID + " (no name is left for it)"
	}
	fmt.Fprintf(&b, "Tool %s%s\n", name, toolMarks(t))
	if t.ShownAs != nil {
		fmt.Fprintf(&b, "  shown to agents as %s\n", *t.ShownAs)
	}
	if t.Title != nil {
		fmt.Fprintf(&b, "  title: %s\n", whole(*t.Title))
	}
	fmt.Fprintf(&b, "  description: %s\n", strings.ReplaceAll(whole(t.Description), "\n", "\n    "))
	fmt.Fprintf(&b, "  arguments: %s\n", schemaText(t.InputSchema))
	if string(t.OutputSchema) != "null" {
		fmt.Fprintf(&b, "  answer: %s\n", schemaText(t.OutputSchema))
	}
	fmt.Fprintf(&b, "  time: %d s; digest: %s\n", t.TimeoutMs/1000, t.Digest)
	return b.String()
}

func toolMarks(t daemon.ExtensionTool) string {
	var marks []string
	if t.ReadOnly {
		marks = append(marks, "says that it only reads")
	}
	if !t.Approved {
		marks = append(marks, "not approved")
	} else if !t.On {
		marks = append(marks, "off")
	}
	if len(marks) == 0 {
		return ""
	}
	return " (" + strings.Join(marks, ", ") + ")"
}

// schemaText is a schema in several lines, as deep as it stands.
func schemaText(text json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, text, "    ", "  ") != nil {
		return whole(string(text))
	}
	return whole(b.String())
}
