package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"meterbridge/analytics"
	"meterbridge/internal/statusline"
)

const (
	// lineAge is how long a status line is good without a change of the ledger: it
	// tells of today and of the block in force.
	lineAge = time.Minute
	// lineRest is how long it is good in any case, so that clients that ask at
	// every keystroke cost one look.
	lineRest = 250 * time.Millisecond
	// mostLines bounds the sessions whose lines are kept.
	mostLines = 64
	// keepLineEvery is how often the line is kept for the time after the daemon.
	keepLineEvery = 10 * time.Second
)

// statusLines answers status lines: one look for all who ask at once.
type statusLines struct {
	meter *Meter
	log   *slog.Logger

	mu    sync.Mutex
	lines map[string]madeLine
	kept  time.Time
}

// madeLine is a line as it was made, of the ledger's revision then.
type madeLine struct {
	text     string
	revision uint64
	at       time.Time
}

func newStatusLines(m *Meter, log *slog.Logger) *statusLines {
	return &statusLines{meter: m, log: log, lines: map[string]madeLine{}}
}

// told is what a harness tells its status line, as far as it is looked at (Claude
// Code: session_id).
type told struct {
	SessionID string `json:"session_id"`
}

// ServeHTTP answers at statusline.Path.
func (l *statusLines) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, statusline.MaxInput))
	if err != nil {
		http.Error(w, "the input is too long", http.StatusRequestEntityTooLarge)
		return
	}
	var in told
	_ = json.Unmarshal(body, &in) // what cannot be read names no session
	line, err := l.line(r.Context(), in.SessionID)
	if err != nil {
		l.log.WarnContext(r.Context(), "no status line", slog.Any("error", err))
		http.Error(w, "the status line cannot be made", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, line+"\n")
}

// line is the line of a session, of none for an empty id.
func (l *statusLines) line(ctx context.Context, session string) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, revision := l.meter.opts.Now(), l.meter.ledger.Revision()
	old, known := l.lines[session]
	age := now.Sub(old.at)
	if known && (age < lineRest || old.revision == revision && age < lineAge) {
		return old.text, nil
	}
	text, err := l.make(ctx, session, now)
	if err != nil {
		return "", err
	}
	if len(l.lines) >= mostLines {
		clear(l.lines)
	}
	l.lines[session] = madeLine{text, revision, now}
	if session == "" && now.Sub(l.kept) >= keepLineEvery {
		l.keep(text, now)
	}
	return text, nil
}

// keep leaves the line for the time after the daemon.
func (l *statusLines) keep(text string, now time.Time) {
	l.kept = now
	if err := replaceFile(l.meter.paths.LastStatusLine(), statusline.Keep(text, now)); err != nil {
		l.log.Warn("keep the status line", slog.Any("error", err))
	}
}

// close leaves the newest line.
func (l *statusLines) close(ctx context.Context) {
	text, err := l.line(ctx, "")
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		l.keep(text, l.meter.opts.Now())
	}
}

func (l *statusLines) make(ctx context.Context, session string, now time.Time) (string, error) {
	var parts []string
	if session != "" {
		part, err := l.ofSession(ctx, session)
		if err != nil {
			return "", err
		}
		parts = append(parts, part...)
	}
	asked := analytics.BudgetQuery{
		Budgets: []analytics.Budget{{Name: "today", Window: analytics.WindowDay}, {Name: "block", Window: analytics.WindowBlock}},
		Zone:    l.meter.zone, WeekStart: l.meter.week,
	}
	for _, b := range l.meter.config.Budgets {
		asked.Budgets = append(asked.Budgets, limitOf(b))
	}
	states, err := l.meter.ledger.Budgets(ctx, asked)
	if err != nil {
		return "", err
	}
	parts = append(parts, "today "+spent(states[0]))
	if block := states[1]; block.Until != nil && block.Until.After(now) {
		parts = append(parts, "5h "+spent(block)+" until "+block.Until.Format("15:04"))
	}
	for i, b := range l.meter.config.Budgets {
		parts = append(parts, fmt.Sprintf("%s %.0f%%", b.Name, states[i+2].UsedRatio*100))
	}
	return strings.Join(parts, " · "), nil
}

// ofSession is what a session spent; nothing while the ledger knows none of the id.
func (l *statusLines) ofSession(ctx context.Context, id string) ([]string, error) {
	w, err := l.meter.Window(ctx, id, time.Time{}, time.Time{})
	var f *Fault
	switch {
	case errors.As(err, &f) && f.Nothing:
		return nil, nil
	case err != nil:
		return nil, err
	}
	tokens := int64(0)
	if w.TotalTokens != nil {
		tokens = *w.TotalTokens
	}
	return []string{"session " + spentText(w.CostMicroUSD, w.CostPartial, tokens)}, nil
}

func spent(s analytics.BudgetState) string {
	return spentText(s.UsedMicroUSD, s.CostPartial, s.UsedTokens)
}

// spentText is a cost with its tokens. A star marks a cost that lacks requests
// without a price.
func spentText(micro *int64, partial bool, tokens int64) string {
	cost := "no price"
	if micro != nil {
		cost = fmt.Sprintf("$%.2f", float64(*micro)/1e6)
	}
	if partial {
		cost += "*"
	}
	if tokens == 0 && micro == nil {
		cost = "$0.00"
	}
	return cost + " (" + short(tokens) + ")"
}

// short is a number of tokens in three digits or so.
func short(n int64) string {
	switch {
	case n >= 1_000_000_000:
		return fmt.Sprintf("%.1fG", float64(n)/1e9)
	case n >= 1_000_000:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	case n >= 1000:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	}
	return fmt.Sprint(n)
}
