// Package daemon is the only place that wires: it opens an installation's
// settings, prices and ledger, gives the scanner its harnesses and its sink,
// joins answers that need more than one of them, and serves them while a daemon
// runs. The commands call it; it may import every package of the project.
package daemon

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"meterbridge"

	"meterbridge/analytics"
	"meterbridge/bridge/host"
	"meterbridge/bridge/registry"
	"meterbridge/harnesses"
	"meterbridge/harnesses/all"
	"meterbridge/internal/config"
	"meterbridge/internal/daemon/asking"
	"meterbridge/internal/daemon/extensions"
	"meterbridge/internal/daemon/fleet"
	"meterbridge/internal/daemon/prompting"
	"meterbridge/scanner"
)

// Options say where an installation lies and how it sees the world.
type Options struct {
	Getenv func(string) string
	// Home is the user's home folder, OS a GOOS value.
	Home, OS string
	Now      func() time.Time
	Version  string
	// Revision is that of the source that the program was built from; empty when unknown.
	Revision string
	// Program is the path of this program, for agents that call it; empty for the one
	// on the PATH.
	Program string
	// Paths replaces the folders that the environment asks for; nil takes those.
	Paths *config.Paths
}

// Meter is an open installation. One process has it at a time.
type Meter struct {
	opts   Options
	paths  config.Paths
	config config.Config
	zone   *time.Location
	week   time.Weekday
	prices *priceDesk
	// providers are the price table's providers of the harnesses, by id.
	providers map[string]string
	lock      *lock
	ledger    *analytics.Ledger
	// opened is when that was; scans remembers how the reading of sources goes.
	opened time.Time
	scans  *scanLog
	// scratch is a folder that goes when the meter is closed; empty for none.
	scratch string
	// tools are those of the running daemon, calls what it keeps of their calls; nil
	// otherwise.
	tools *registry.Registry
	calls *callDesk
	// live keeps the ledger up to date while a daemon runs; nil otherwise.
	live *scanner.Live
	// fleet are the agents of the daemon, prompting their queue; nil otherwise.
	fleet     *fleet.Fleet
	prompting *prompting.Room
	// host runs the daemon's extensions; nil otherwise.
	host *host.Host
	// desk is that of the extensions of the daemon; nil otherwise.
	desk *extensions.Desk
	// asking holds calls of the daemon's tools until a person allows them; nil otherwise.
	asking *asking.Desk
	// lent: somebody else closes the installation; warn is what only its borrower
	// should know.
	lent bool
	warn []string
}

// Open opens the installation, creating it when it is not there yet. It waits a
// moment for another process that has it; after that the *Fault names the holder.
func Open(ctx context.Context, o Options) (*Meter, error) {
	m, err := prepare(o)
	if err != nil {
		return nil, err
	}
	if m.lock, err = acquire(ctx, m.paths.Lock()); err != nil {
		return nil, err
	}
	m.prices.now().keepUser(m.paths)
	m.ledger, err = analytics.Open(ctx, m.paths.Ledger(), analytics.Options{
		Prices: m.prices.now().table, DefaultProvider: m.defaultProvider, Drivers: drivers(), Unreadable: unreadable(), ReportZone: m.zone, Now: o.Now,
	})
	if err != nil {
		return nil, errors.Join(ledgerFault(err), m.lock.release())
	}
	// The ledger tells what its user worked on; a folder of the user's own choice may be open to others.
	if err := os.Chmod(m.paths.Ledger(), 0o600); err != nil {
		return nil, errors.Join(ledgerFault(err), m.Close())
	}
	if !m.config.Privacy.KeepsText() {
		if err := m.ledger.ForgetTexts(ctx); err != nil {
			return nil, errors.Join(err, m.Close())
		}
	}
	return m, nil
}

// places are the folders that the options or the environment ask for.
func (o Options) places() config.Paths {
	if o.Paths != nil {
		return *o.Paths
	}
	return config.Locate(o.Getenv)
}

// prepare reads settings and prices; nothing is locked yet.
func prepare(o Options) (*Meter, error) {
	m := &Meter{opts: o, paths: o.places(), providers: providers(), opened: o.Now(), scans: &scanLog{}}
	var err error
	if m.config, err = config.Load(m.paths.Settings(), o.Home); err != nil {
		return nil, settingsFault(err)
	}
	if m.zone, err = m.config.Report.Zone(); err != nil {
		return nil, settingsFault(err)
	}
	if m.zone == nil {
		m.zone = config.SystemZone(o.Getenv)
	}
	if m.week, err = meterbridge.Weekday(m.config.Report.WeekStart); err != nil {
		return nil, settingsFault(err)
	}
	m.prices = newPriceDesk(ledgerPrices(m.paths, m.config, o))
	return m, nil
}

// Close ends the use of the installation.
func (m *Meter) Close() error {
	if m.lent {
		return nil
	}
	err := errors.Join(m.ledger.Close(), m.lock.release())
	if m.scratch != "" {
		err = errors.Join(err, os.RemoveAll(m.scratch))
	}
	return err
}

// Warnings are sentences that the user should see once.
func (m *Meter) Warnings() []string { return slices.Concat(m.prices.now().Warnings(), m.warn) }

// env is what harnesses may know of the machine.
func (m *Meter) env() harnesses.Env {
	return harnesses.Env{Home: m.opts.Home, OS: m.opts.OS, Getenv: m.opts.Getenv}
}

// defaultProvider is the price table's provider of a harness's requests that
// name none.
func (m *Meter) defaultProvider(id string) string { return m.providers[id] }

func providers() map[string]string {
	list := map[string]string{}
	for _, h := range all.Harnesses() {
		list[h.ID] = h.Declaration.Provider
	}
	return list
}

// unreadable are the harnesses whose logs hold no usage.
func unreadable() (ids []string) {
	for _, h := range all.Harnesses() {
		if !h.Declaration.UsageReadable {
			ids = append(ids, h.ID)
		}
	}
	return ids
}

// drivers are the harnesses that can run another one inside.
func drivers() (ids []string) {
	for _, h := range all.Harnesses() {
		if h.Declaration.Drives {
			ids = append(ids, h.ID)
		}
	}
	return ids
}
