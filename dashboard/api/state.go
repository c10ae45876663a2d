package api

import (
	"context"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"meterbridge"
	"meterbridge/dashboard"
)

type noInput struct{}

func (s *server) state(h huma.API) {
	look(s, h, operation("harnesses", "/harnesses", "What is read on this machine, from where, how exactly",
		"The answer of `meterbridge harnesses --json`, with the state of the scan."),
		func(ctx context.Context, _ *noInput) (dashboard.HarnessList, error) { return s.meter.Harnesses(ctx) })
	op := operation("health", "/health", "How the daemon stands", "Never waits for the ledger.")
	huma.Register(h, op, func(context.Context, *noInput) (*answer[dashboard.Health], error) {
		return &answer[dashboard.Health]{s.meter.Health()}, nil
	})
}

// instantOf reads a day or an instant; days of prices begin in UTC.
func instantOf(text string) (time.Time, error) { return meterbridge.Instant(text, time.UTC) }
