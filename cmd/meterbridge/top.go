package main

import (
	"context"
	"fmt"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"

	"meterbridge/internal/control"
	"meterbridge/internal/daemon"
)

// topBeat is how often the screen is drawn anew.
const topBeat = time.Second

func newTopCmd(a *app) *cobra.Command {
	var once bool
	cmd := &cobra.Command{
		Use: "top", Short: "A live screen: tokens per minute, cost today, sessions, budgets", Args: cobra.NoArgs,
		Long: "Shows what the agents of this machine do and spend, once a second. It asks the\ndaemon. Without a terminal, or with --once, it prints the screen once.",
		RunE: func(cmd *cobra.Command, _ []string) error { return a.top(cmd.Context(), once) },
	}
	cmd.Flags().BoolVar(&once, "once", false, "print the screen once and end")
	return cmd
}

func (a *app) top(ctx context.Context, once bool) error {
	c := control.Dial(daemon.SocketPath(a.options()))
	defer c.Close()
	source := topSource{client: c, now: a.now}
	first, err := source.read(ctx)
	if err != nil {
		return noDaemon(err)
	}
	if once || a.width == 0 {
		_, err := fmt.Fprintln(a.out, first.view(a.width, 0, a.colour()))
		return err
	}
	m := topModel{ctx: ctx, source: source, state: first, width: a.width, colour: a.colour()}
	end, err := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(os.Stdin), tea.WithOutput(a.out)).Run()
	if last, ok := end.(topModel); ok && last.err != nil && ctx.Err() == nil {
		return noDaemon(last.err)
	}
	if ctx.Err() != nil {
		return nil // an interrupt is how a live screen ends
	}
	return err
}

// topModel is the screen while it lives.
type topModel struct {
	ctx           context.Context
	source        topSource
	state         topState
	width, height int
	colour        bool
	err           error
}

type (
	topTick struct{}
	topRead struct {
		state topState
		err   error
	}
)

// Init implements tea.Model.
func (m topModel) Init() tea.Cmd { return m.wait() }

func (m topModel) wait() tea.Cmd {
	return tea.Tick(topBeat, func(time.Time) tea.Msg { return topTick{} })
}

func (m topModel) read() tea.Msg {
	state, err := m.source.read(m.ctx)
	return topRead{state, err}
}

// Update implements tea.Model.
func (m topModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		switch msg.String() {
		case "q", "esc", "ctrl+c":
			return m, tea.Quit
		}
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case topTick:
		return m, m.read
	case topRead:
		if msg.err != nil {
			m.err = msg.err
			return m, tea.Quit
		}
		m.state = msg.state
		return m, m.wait()
	}
	return m, nil
}

// View implements tea.Model.
func (m topModel) View() tea.View {
	v := tea.NewView(m.state.view(m.width, m.height, m.colour))
	v.AltScreen = true
	return v
}
