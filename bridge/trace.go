package bridge

import (
	"context"
	"time"
)

// CallTrace is what the rooms along the way of a call learn of it, for its
// CallRecord. One goroutine at a time writes it.
type CallTrace struct {
	// Woke is how long the extension took to be ready and to have a handler, Handled
	// how long that took.
	Woke, Handled time.Duration
	// Instance is what answered; empty when nothing did.
	Instance string
	// Progress counts the lines of progress.
	Progress int
}

type traceKey struct{}

// WithTrace returns a context whose call is traced.
func WithTrace(ctx context.Context, t *CallTrace) context.Context {
	return context.WithValue(ctx, traceKey{}, t)
}

// TraceOf is the trace of a call, nil when it is not traced.
func TraceOf(ctx context.Context) *CallTrace {
	t, _ := ctx.Value(traceKey{}).(*CallTrace)
	return t
}
