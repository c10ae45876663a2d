package daemon

import (
	"context"
	"log/slog"
	"reflect"
	"sync"
	"time"

	"meterbridge/dashboard"
	"meterbridge/dashboard/events"
	"meterbridge/scanner"
)

const (
	// stateBeat is how often the daemon's state is compared with what was told last.
	stateBeat = time.Second
	// budgetRest is the least time between two looks at budgets while commits
	// come in, budgetBeat the most: a window may have ended.
	budgetRest = 2 * time.Second
	budgetBeat = time.Minute
)

// announcer tells the clients of the hub what changes.
type announcer struct {
	meter *Meter
	hub   *events.Hub
	log   *slog.Logger
	// spent is told that something was committed.
	spent chan struct{}

	// scan, health and budgets were told last.
	scan    dashboard.ScanState
	health  string
	budgets map[string]dashboard.BudgetAnswer
	looked  time.Time
}

func newAnnouncer(m *Meter, log *slog.Logger) *announcer {
	return &announcer{meter: m, hub: events.NewHub(events.Options{}), log: log, spent: make(chan struct{}, 1), budgets: map[string]dashboard.BudgetAnswer{}}
}

// committed is told by the live scanner after each commit.
func (a *announcer) committed(c scanner.Committed) {
	revision := a.meter.Revision()
	for harness, sessions := range c.Sessions {
		if a.meter.fleet != nil {
			a.meter.fleet.Committed(harness)
		}
		a.publish(events.Usage, events.NewUsageChange(harness, sessions, revision))
	}
	select {
	case a.spent <- struct{}{}:
	default:
	}
}

// priced is told of a price table that has come into force.
func (a *announcer) priced(version string) {
	a.publish(events.Prices, events.PriceChange{TableVersion: version})
}

func (a *announcer) publish(kind events.Type, data any) {
	if err := a.hub.Publish(kind, data); err != nil && a.log != nil {
		a.log.Warn("event not published", slog.String("type", string(kind)), slog.Any("error", err))
	}
}

// start tells of states until stop is called, which waits for the end.
func (a *announcer) start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { a.run(ctx) })
	return func() {
		cancel()
		wg.Wait()
		a.hub.Close()
	}
}

func (a *announcer) run(ctx context.Context) {
	beat := time.NewTicker(stateBeat)
	defer beat.Stop()
	spent := true
	for {
		a.states()
		if since := time.Since(a.looked); spent && since >= budgetRest || since >= budgetBeat {
			spent = false
			a.spending(ctx)
		}
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
		}
		select {
		case <-a.spent:
			spent = true
		default:
		}
	}
}

// states tells of the scan and of the daemon's health where they changed.
func (a *announcer) states() {
	health := a.meter.Health()
	if scan := settled(health.Scan); !reflect.DeepEqual(scan, a.scan) {
		a.scan = scan
		a.publish(events.Scan, health.Scan)
	}
	if health.Status != a.health {
		a.health = health.Status
		a.publish(events.Health, health)
	}
}

// settled is the state without what changes at every look.
func settled(s dashboard.ScanState) dashboard.ScanState {
	s.LagMs, s.Scans, s.StartedAt, s.EndedAt = 0, 0, nil, nil
	return s
}

// spending tells of the budgets that changed.
func (a *announcer) spending(ctx context.Context) {
	a.looked = time.Now()
	if len(a.meter.config.Budgets) == 0 {
		return
	}
	list, err := a.meter.BudgetStates(ctx, a.meter.zone, a.meter.week)
	if err != nil {
		if ctx.Err() == nil && a.log != nil {
			a.log.Warn("budgets not looked at", slog.Any("error", err))
		}
		return
	}
	for _, b := range list.Rows {
		// A forecast alone changes with every look.
		told := b
		told.Forecast = nil
		if !reflect.DeepEqual(told, a.budgets[b.Name]) {
			a.budgets[b.Name] = told
			a.publish(events.Budget, b)
		}
	}
}
