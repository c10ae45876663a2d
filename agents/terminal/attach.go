package terminal

import (
	"context"
	"time"
)

// Viewer is a person's terminal that shows this one. What it fetches begins with
// a drawing of the screen; one that lags is drawn anew.
type Viewer struct {
	*Subscription
	cols, rows int
}

// Attach adds a viewer of a size; the terminal takes the size of the smallest one.
// While anybody is attached, their terminals answer the program's questions.
func (t *Terminal) Attach(cols, rows int) (*Viewer, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.program == nil {
		return nil, ErrExited
	}
	v := &Viewer{Subscription: &Subscription{t: t, redraw: true}, cols: cols, rows: rows}
	t.viewers[v] = true
	if err := t.fit(); err != nil {
		delete(t.viewers, v)
		return nil, err
	}
	v.buf, v.since = t.screen.Redraw(), time.Now()
	t.subs[v.Subscription] = true
	return v, nil
}

// fit makes the terminal as large as the smallest viewer.
func (t *Terminal) fit() error {
	cols, rows := 0, 0
	for v := range t.viewers {
		if cols == 0 || v.cols < cols {
			cols = v.cols
		}
		if rows == 0 || v.rows < rows {
			rows = v.rows
		}
	}
	if cols <= 0 || rows <= 0 || cols == t.state.Cols && rows == t.state.Rows {
		return nil
	}
	return t.resize(cols, rows)
}

// Resize says that the viewer's own terminal has another size.
func (v *Viewer) Resize(cols, rows int) error {
	v.t.mu.Lock()
	defer v.t.mu.Unlock()
	v.cols, v.rows = cols, rows
	return v.t.fit()
}

// Write sends what the person typed.
func (v *Viewer) Write(ctx context.Context, b []byte) error {
	v.t.mu.Lock()
	if v.t.capture != nil {
		v.t.capture.typed = true
	}
	v.t.keyAt = time.Now()
	if keys := v.t.opts.Keys; keys != nil {
		keys(v.t.state.Generation, b)
	}
	v.t.mu.Unlock()
	return v.t.Write(ctx, b)
}

// Close detaches; the program goes on.
func (v *Viewer) Close() {
	v.t.mu.Lock()
	delete(v.t.viewers, v)
	if v.t.program != nil {
		_ = v.t.fit() // only a program that has just ended refuses a size
	}
	v.t.mu.Unlock()
	v.Subscription.Close()
}
