package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"meterbridge/internal/daemon"
	"meterbridge/internal/daemon/extensions"
)

func newExtSettingsCmd(a *app) *cobra.Command {
	var secrets, unset []string
	cmd := &cobra.Command{
		Use: "settings NAME [KEY=VALUE ...]", Short: "Show or change the settings of an extension", Args: cobra.MinimumNArgs(1),
		Long: "Without a KEY it lists the settings. A secret is read from standard input, never from\n" +
			"the command line; it stays with Meterbridge, and the extension is only told that it is\nset. An extension that runs hears of a change at once.",
		Example: "  meterbridge ext settings ticket-desk\n  meterbridge ext settings ticket-desk project=ops limit=20\n" +
			"  meterbridge ext settings ticket-desk --secret token < token.txt",
		RunE: func(_ *cobra.Command, args []string) error {
			desk, s := a.desk(), extensions.Setting{Values: map[string]json.RawMessage{}, Secrets: map[string]string{}, Unset: unset}
			for _, word := range args[1:] {
				key, value, err := desk.ParseSetting(args[0], word)
				if err != nil {
					return err
				}
				s.Values[key] = value
			}
			if err := a.readSecrets(s.Secrets, secrets); err != nil {
				return err
			}
			if len(s.Values)+len(s.Secrets)+len(s.Unset) > 0 {
				if err := desk.Set(args[0], s); err != nil {
					return err
				}
			}
			return a.showSettings(desk, args[0])
		},
	}
	cmd.Flags().StringSliceVar(&secrets, "secret", nil, "secrets to set, each from one line of standard input")
	cmd.Flags().StringSliceVar(&unset, "unset", nil, "settings that go back to their defaults")
	return cmd
}

// readSecrets reads one line for each secret.
func (a *app) readSecrets(into map[string]string, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	in := bufio.NewReader(a.in)
	for _, key := range keys {
		fmt.Fprintf(a.err, "%s: ", plain(key))
		line, err := in.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read a secret: %w", err)
		}
		fmt.Fprintln(a.err)
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			return &daemon.Fault{Err: fmt.Errorf("nothing was given for %s, so nothing was set", key), Hint: "give it on standard input, one line for each secret"}
		}
		into[key] = line
	}
	return nil
}

func (a *app) showSettings(desk *extensions.Desk, name string) error {
	now, err := desk.ShowExtension(name)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(now)
	}
	if len(now.Settings) == 0 {
		_, err := fmt.Fprintf(a.out, "%s has no settings.\n", name)
		return err
	}
	_, err = io.WriteString(a.out, settingsText(now))
	return err
}

// settingsText lists settings, one a line.
func settingsText(x daemon.ExtensionAnswer) string {
	var b strings.Builder
	for _, s := range x.Settings {
		value := whole(string(s.Value))
		switch {
		case s.Type == "secret" && s.Set:
			value = "is set"
		case s.Type == "secret" || value == "null":
			value = "not set"
		}
		marks := []string{s.Type}
		if len(s.Options) > 0 {
			marks = []string{"one of " + whole(strings.Join(s.Options, ", "))}
		}
		if s.Required {
			marks = append(marks, "required")
		}
		if !s.Set && string(s.Value) != "null" {
			marks = append(marks, "default")
		}
		fmt.Fprintf(&b, "  %s: %s  (%s; %s)\n", s.Key, value, whole(s.Label), strings.Join(marks, ", "))
	}
	return b.String()
}

func newExtWorkspaceCmd(a *app) *cobra.Command {
	var folder string
	var none bool
	cmd := &cobra.Command{
		Use: "workspace NAME [WORKSPACE]", Short: "Say whose agents an extension sees, and in which folder it works", Args: cobra.RangeArgs(1, 2),
		Long: "An extension sees the agents of the workspace `default`, and those that you link to it.\n" +
			"With the permission fs.read or fs.write it works in the folder that you name here, and\nin no folder before that.",
		Example: "  meterbridge ext workspace ticket-desk --folder ~/src/desk\n  meterbridge ext workspace ticket-desk shop",
		RunE: func(cmd *cobra.Command, args []string) error {
			var workspace, at *string
			if len(args) == 2 {
				workspace = &args[1]
			}
			if cmd.Flags().Changed("folder") {
				path := filepath.Clean(a.path(folder))
				at = &path
			}
			if none {
				at = new(string)
			}
			desk := a.desk()
			if workspace != nil || at != nil {
				if err := desk.SetWorkspace(args[0], workspace, at); err != nil {
					return err
				}
			}
			now, err := desk.ShowExtension(args[0])
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(now)
			}
			_, err = fmt.Fprintln(a.out, workspaceText(now))
			return err
		},
	}
	cmd.Flags().StringVar(&folder, "folder", "", "the folder in which it may work")
	cmd.Flags().BoolVar(&none, "no-folder", false, "take the folder away")
	cmd.MarkFlagsMutuallyExclusive("folder", "no-folder")
	return cmd
}

func workspaceText(x daemon.ExtensionAnswer) string {
	if x.WorkspaceFolder == nil {
		return plain(x.Workspace) + ", without a folder"
	}
	return plain(x.Workspace) + ", in " + whole(*x.WorkspaceFolder)
}

func newExtLogCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "log NAME", Short: "What an extension wrote to its log and to standard error", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if _, err := a.desk().ShowExtension(args[0]); err != nil {
				return err
			}
			if a.meter == nil {
				return &daemon.Fault{Err: daemon.ErrNoHost, Hint: "`meterbridge serve` starts one; a log is kept while it runs"}
			}
			text, err := a.meter.ExtensionLog(args[0])
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(map[string]any{"schemaVersion": 1, "extension": args[0], "log": text})
			}
			if text == "" {
				_, err := fmt.Fprintf(a.out, "%s wrote nothing since the daemon started.\n", args[0])
				return err
			}
			_, err = io.WriteString(a.out, strings.TrimRight(whole(text), "\n")+"\n")
			return err
		},
	}
}
