package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"meterbridge/internal/daemon"
)

func newTokenCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "token", Short: "Credentials of programs that call the daemon", Args: cobra.NoArgs,
		Long: "A token lets a program call the daemon over HTTP: send it as Authorization: Bearer.\n" +
			"Only its hash is kept. A daemon that runs sees a new token, and a revoked one, at once.",
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newTokenNewCmd(a), newTokenListCmd(a), newTokenRevokeCmd(a))
	return cmd
}

func newTokenNewCmd(a *app) *cobra.Command {
	var name string
	var scopes []string
	cmd := &cobra.Command{
		Use: "new", Short: "Make a token and print it once", Args: cobra.NoArgs,
		Example: `  meterbridge token new --name scripts
  meterbridge token new --name prometheus --scope metrics
  meterbridge token new --name claude-code --scope otlp`,
		RunE: func(*cobra.Command, []string) error { return a.newToken(name, scopes) },
	}
	cmd.Flags().StringVar(&name, "name", "", "what it is for (default: one that is made up)")
	cmd.Flags().StringSliceVar(&scopes, "scope", []string{"read"}, "what it is good for: read (the API), metrics, otlp, mcp")
	_ = cmd.RegisterFlagCompletionFunc("scope", cobra.FixedCompletions([]string{"read", "metrics", "otlp", "mcp"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// tokenAnswer is a token in JSON; the secret is there when it was made just now.
type tokenAnswer struct {
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Scopes    []daemon.Scope `json:"scopes"`
	CreatedAt time.Time      `json:"createdAt"`
	Token     string         `json:"token,omitempty"`
}

func answerOf(t daemon.Token, secret string) tokenAnswer {
	return tokenAnswer{ID: t.ID, Name: t.Name, Scopes: t.Scopes, CreatedAt: t.CreatedAt, Token: secret}
}

func (a *app) newToken(name string, scopes []string) error {
	var wanted []daemon.Scope
	for _, s := range scopes {
		wanted = append(wanted, daemon.Scope(s))
	}
	secret, made, err := daemon.OpenTokens(a.options()).Create(name, wanted)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(struct {
			SchemaVersion int `json:"schemaVersion"`
			tokenAnswer
		}{1, answerOf(made, secret)})
	}
	fmt.Fprintf(a.err, "Token %s (%s), good for %s. It is not shown again:\n", plain(made.Name), made.ID, scopesOf(made))
	_, err = fmt.Fprintln(a.out, secret)
	return err
}

func scopesOf(t daemon.Token) string {
	var names []string
	for _, s := range t.Scopes {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

func newTokenListCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "The tokens that there are", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			list, err := daemon.OpenTokens(a.options()).List()
			if err != nil {
				return err
			}
			if a.json {
				rows := []tokenAnswer{}
				for _, t := range list {
					rows = append(rows, answerOf(t, ""))
				}
				return a.printJSON(map[string]any{"schemaVersion": 1, "rows": rows})
			}
			return a.tokenTable(list)
		},
	}
}

func (a *app) tokenTable(list []daemon.Token) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(a.out, "There is no token; `meterbridge token new` makes one.")
		return err
	}
	g := grid{columns: []column{{name: "ID"}, {name: "Name", shrink: true}, {name: "Good for"}, {name: "Made", drop: 1}}}
	for _, t := range list {
		g.rows = append(g.rows, []string{t.ID, t.Name, scopesOf(t), t.CreatedAt.Format("2006-01-02 15:04") + " UTC"})
	}
	return g.print(a.out, a.width, a.colour())
}

func newTokenRevokeCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "revoke ID|NAME", Short: "Make a token worthless", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			gone, err := daemon.OpenTokens(a.options()).Revoke(args[0])
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(map[string]any{"schemaVersion": 1, "revoked": answerOf(gone, "")})
			}
			_, err = fmt.Fprintf(a.out, "Token %s (%s) is worthless now.\n", plain(gone.Name), gone.ID)
			return err
		},
	}
}
