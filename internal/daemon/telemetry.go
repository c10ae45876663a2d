package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"meterbridge"
	"meterbridge/analytics"
	"meterbridge/dashboard/telemetry"
	"meterbridge/harnesses/all"
	"meterbridge/harnesses/otlp"
	"meterbridge/scanner"
)

// telemetrySource is the harness of sources that are telemetry: none that is
// scanned, so that no scan misses a log of theirs.
const telemetrySource = "otlp"

// maxMachines is how many machines' telemetry is told apart; it comes with
// names that anybody may choose.
const maxMachines = 64

// toldBy is what told of requests: a harness on a machine, empty for this one.
type toldBy struct{ harness, machine string }

// receiver takes telemetry into the ledger.
type receiver struct {
	meter   *Meter
	decoder *otlp.Decoder
	// committed is told of what was taken.
	committed func(scanner.Committed)
	hostname  string

	mu sync.Mutex
	// sources are the ledger's numbers of what told before; nil before the first export.
	sources map[toldBy]int64
}

func newReceiver(m *Meter, committed func(scanner.Committed)) *receiver {
	name, _ := os.Hostname() // without one this machine's telemetry bears its name
	return &receiver{meter: m, decoder: otlp.New(all.Harnesses()), committed: committed, hostname: name}
}

// Receive takes an export: requests become rows where no log has them, and fill
// in what the log's rows lack.
func (t *receiver) Receive(ctx context.Context, e telemetry.Export) (telemetry.Taken, error) {
	signal := map[telemetry.Signal]otlp.Signal{telemetry.Metrics: otlp.Metrics, telemetry.Traces: otlp.Traces}[e.Signal]
	told, err := t.decoder.Decode(signal, e.JSON, e.Body)
	switch {
	case errors.Is(err, otlp.ErrTooLarge):
		return telemetry.Taken{}, telemetry.ErrTooLarge
	case err != nil:
		return telemetry.Taken{}, telemetry.ErrMalformed // the library's words may hold what was sent
	}
	// A client that goes away now must not undo what is half done.
	if err := t.take(context.WithoutCancel(ctx), told); err != nil {
		return telemetry.Taken{}, err
	}
	return telemetry.Taken{Rejected: told.Rejected, Reason: told.Reason}, nil
}

func (t *receiver) take(ctx context.Context, told otlp.Delivery) error {
	if err := t.meter.ledger.KeepReadings(ctx, told.Readings); err != nil || len(told.Requests) == 0 {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.remember(ctx); err != nil {
		return err
	}
	units := t.units(told.Requests)
	if err := t.meter.ledger.Receive(ctx, units); err != nil {
		return err
	}
	for i := range units {
		cp := &units[i].Checkpoint
		t.sources[toldBy{cp.Path[len(telemetrySource)+1:], cp.Machine}] = cp.Source
	}
	t.tell(told.Requests)
	return nil
}

// remember reads what told before.
func (t *receiver) remember(ctx context.Context) error {
	if t.sources != nil {
		return nil
	}
	list, err := t.meter.ledger.Checkpoints(ctx)
	if err != nil {
		return fmt.Errorf("look for telemetry taken before: %w", err)
	}
	t.sources = map[toldBy]int64{}
	for _, cp := range list {
		if cp.Kind == analytics.KindTelemetry && len(cp.Path) > len(telemetrySource) {
			t.sources[toldBy{cp.Path[len(telemetrySource)+1:], cp.Machine}] = cp.Source
		}
	}
	return nil
}

// units are the requests by what told of them, in a fixed order.
func (t *receiver) units(told []otlp.Told) []meterbridge.Unit {
	var units []meterbridge.Unit
	at := map[toldBy]int{}
	for _, q := range told {
		by := toldBy{q.Harness, t.machine(q.Machine)}
		i, ok := at[by]
		if !ok {
			i = len(units)
			at[by] = i
			units = append(units, meterbridge.Unit{Checkpoint: meterbridge.Checkpoint{
				Source: t.sources[by], Harness: telemetrySource, Kind: analytics.KindTelemetry, Path: telemetrySource + ":" + by.harness, Machine: by.machine,
			}})
		}
		units[i].Batch.Requests = append(units[i].Batch.Requests, q.Request)
	}
	return units
}

// machine is the name under which a machine's telemetry is kept: none for this
// one, and for those beyond the last that is told apart.
func (t *receiver) machine(name string) string {
	if name == t.hostname {
		return ""
	}
	machines := map[string]bool{}
	for by := range t.sources {
		machines[by.machine] = true
	}
	if !machines[name] && len(machines) >= maxMachines {
		return ""
	}
	return name
}

// tell says what has changed.
func (t *receiver) tell(told []otlp.Told) {
	c := scanner.Committed{At: time.Now(), Rows: len(told), Requests: len(told), Sessions: map[string][]string{}}
	for _, q := range told {
		if list := c.Sessions[q.Harness]; !slices.Contains(list, q.Session) {
			c.Sessions[q.Harness] = append(list, q.Session)
		}
	}
	t.committed(c)
}
