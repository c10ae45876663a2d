package daemon

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"

	"meterbridge/analytics"
	"meterbridge/bridge/host"
	"meterbridge/bridge/policy"
	"meterbridge/dashboard"
	"meterbridge/harnesses/all"
	"meterbridge/internal/daemon/extensions"
	"meterbridge/internal/importer"
)

// OpenExtensions is the desk of extensions of an installation whose daemon does not
// run: what it changes is there when one does.
func OpenExtensions(o Options) *extensions.Desk { return extensions.Open(deskOptions(o)) }

func deskOptions(o Options) extensions.Options {
	return extensions.Options{
		Folder: filepath.Join(o.places().Data, "extensions"), Version: o.Version, OS: o.OS, Now: o.Now,
	}
}

// Extensions is the desk of extensions: the daemon's where one runs.
func (m *Meter) Extensions() *extensions.Desk {
	if m.desk != nil {
		return m.desk
	}
	return OpenExtensions(m.opts)
}

// ListExtensions implements dashboard.Extensions.
func (m *Meter) ListExtensions() dashboard.ExtensionList { return m.Extensions().ListExtensions() }

// ShowExtension implements dashboard.Extensions.
func (m *Meter) ShowExtension(name string) (dashboard.ExtensionAnswer, error) {
	a, err := m.Extensions().ShowExtension(name)
	var fault *extensions.Fault
	if errors.As(err, &fault) && fault.Nothing {
		return a, also{err, analytics.ErrUnknown}
	}
	return a, err
}

// ListLinks implements dashboard.Extensions.
func (m *Meter) ListLinks() dashboard.ExtensionLinkList { return m.Extensions().ListLinks() }

// extend opens the desk of the daemon and the host that runs its extensions, until
// the function that it returns is called: then all of them have ended.
func (s *server) extend(ctx context.Context) (withdraw func(), err error) {
	m := s.meter
	o := deskOptions(m.opts)
	o.Log, o.Resolve, o.Name, o.WholeNames = s.o.Log, m.resolveAgent, m.agentName, !m.config.Bridge.Shortens()
	var desk atomic.Pointer[extensions.Desk]
	ho := host.Options{
		Version: m.opts.Version, Sandbox: m.opts.Program, Getenv: m.opts.Getenv, Log: s.o.Log, Now: m.opts.Now,
		Started: s.metrics.Started, Late: func(string) { s.metrics.Late() },
		Ports: deskPorts(&desk),
		Changed: func(string) {
			if d := desk.Load(); d != nil {
				d.Reported()
			}
		},
	}
	if m.fleet != nil {
		ports := m.fleet.Ports()
		ho.Ports.Agents, ho.Ports.Screens, ho.Ports.Terminals, ho.Ports.Usage = ports, ports, ports, ports
	}
	if m.prompting != nil {
		ho.Ports.Prompts = m.prompting
	}
	if m.opts.Program != "" {
		ho.Importer = []string{m.opts.Program, importer.Command}
	}
	modules, runner, err := extensions.Modules(o.Folder)
	if err != nil {
		// Extensions of other kinds run all the same.
		s.o.Log.Warn("modules for JavaScript are not run", slog.Any("error", err))
	} else {
		ho.Runner, ho.Shared = runner, []string{modules}
	}
	h, err := host.New(ho)
	if err != nil {
		return nil, err
	}
	o.Runtime, m.host = h, h
	detach := s.attachments(ctx)
	m.desk = extensions.Open(o)
	desk.Store(m.desk)
	close(s.extended)
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	wg.Go(func() { _ = m.desk.Run(running) })
	return func() {
		stop()
		wg.Wait()
		h.Close()
		detach()
	}, nil
}

// deskPorts are what the desk, once it is open, answers extensions.
func deskPorts(desk *atomic.Pointer[extensions.Desk]) host.Ports {
	words := map[string]string{}
	for _, h := range all.Harnesses() {
		words[h.ID] = h.WordForCards()
	}
	return host.Ports{
		Linked: func(pkg, agent string) bool {
			d := desk.Load()
			return d != nil && d.Linked(pkg, agent)
		},
		Workspace: func(pkg string) host.Workspace {
			if d := desk.Load(); d != nil {
				return d.Workspace(pkg)
			}
			return host.Workspace{}
		},
		Settings: func(pkg string) host.Settings {
			if d := desk.Load(); d != nil {
				return d.Settings(pkg)
			}
			return host.Settings{}
		},
		SetSettings: func(pkg string, values map[string]json.RawMessage) error { return desk.Load().SetSettings(pkg, values) },
		Secret:      func(pkg, key string) (string, bool) { return desk.Load().Secret(pkg, key) },
		HarnessWord: func(id string) string { return cmp.Or(words[id], id) },
	}
}

// extensionStates are the states of extensions by name.
func (m *Meter) extensionStates() map[string]string {
	states := map[string]string{}
	if m.desk != nil {
		for _, row := range m.desk.ListExtensions().Rows {
			states[row.Name] = row.State
		}
	}
	return states
}

// resolveAgent is the id of the agent or terminal that a name means.
func (m *Meter) resolveAgent(ctx context.Context, name string) (string, error) {
	i, err := m.agent(ctx, name)
	return i.ID, err
}

type (
	// ExtensionList is the answer of `ext list`.
	ExtensionList = dashboard.ExtensionList
	// ExtensionAnswer is the answer of `ext show`.
	ExtensionAnswer = dashboard.ExtensionAnswer
	// ExtensionTool is one tool of it.
	ExtensionTool = dashboard.ToolAnswer
	// ExtensionChange is one difference to what was approved.
	ExtensionChange = policy.Change
)
