package testkit

import (
	"context"
	"errors"

	"meterbridge"
)

// ErrInjected is the error of a sink that fails on purpose.
var ErrInjected = errors.New("injected failure")

// Faulty is a sink that fails on purpose.
type Faulty struct {
	*Memory
	// Fail is asked before each commit, whose number begins at 1; an error
	// rejects it whole, as a broken transaction does.
	Fail func(commit int) error
	n    int
}

// Commit stores the units unless it is to fail.
func (f *Faulty) Commit(ctx context.Context, units []meterbridge.Unit) error {
	f.n++
	if err := f.Fail(f.n); err != nil {
		return err
	}
	return f.Memory.Commit(ctx, units)
}
