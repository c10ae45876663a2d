package daemon

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"meterbridge/harnesses/all"
	"meterbridge/scanner"
)

func (m *Meter) scannerOptions(progress Progress) scanner.Options {
	o := scanner.Options{
		Env: m.env(), Harnesses: all.Harnesses(), StoreText: m.config.Privacy.KeepsText(), Progress: progress,
	}
	for _, s := range m.config.Sources {
		o.Extra = append(o.Extra, scanner.Extra{Harness: s.Harness, Path: s.Path, Machine: s.Machine})
	}
	return o
}

func (m *Meter) newScanner(progress Progress) (*scanner.Scanner, error) {
	s, err := scanner.New(m.ledger, m.scannerOptions(progress))
	return s, scannerFault(err)
}

func scannerFault(err error) error {
	if errors.Is(err, scanner.ErrUnknownHarness) {
		return &Fault{Err: fmt.Errorf("settings: %w", err), Hint: "the harnesses are " + strings.Join(HarnessIDs(), ", ")}
	}
	return err
}

// HarnessIDs are the ids of all harnesses that are read.
func HarnessIDs() []string {
	var ids []string
	for _, h := range all.Harnesses() {
		ids = append(ids, h.ID)
	}
	return ids
}

// Scan reads what is new into the ledger; progress may be nil. When there is no
// log and no row at all, the *Fault says where was looked. An interrupted scan
// leaves a good ledger.
func (m *Meter) Scan(ctx context.Context, progress Progress) (ScanResult, error) {
	scan := m.scanOnce
	if m.live != nil {
		scan = m.live.Refresh
	}
	r, err := scan(ctx, progress)
	if err != nil {
		return r, fmt.Errorf("scan: %w", err)
	}
	if total := r.Total(); total.Files == 0 && total.Gone == 0 {
		return r, m.nothing(ctx, r)
	}
	return r, nil
}

func (m *Meter) scanOnce(ctx context.Context, progress Progress) (ScanResult, error) {
	s, err := m.newScanner(progress)
	if err != nil {
		return ScanResult{}, err
	}
	m.scans.begin(m.opts.Now())
	r, err := m.scan(ctx, s)
	m.scans.end(m.opts.Now(), err)
	return r, err
}

func (m *Meter) scan(ctx context.Context, s *scanner.Scanner) (ScanResult, error) {
	if err := m.ledger.BeginScan(ctx); err != nil {
		return ScanResult{}, fmt.Errorf("begin: %w", err)
	}
	r, err := s.Scan(ctx)
	// What was committed is to be summed up even when the scan was cut short.
	if end := m.ledger.EndScan(context.WithoutCancel(ctx)); err == nil {
		err = end
	}
	return r, err
}

// nothing is the fault of a machine without any log, nil when the ledger
// remembers some.
func (m *Meter) nothing(ctx context.Context, r ScanResult) error {
	known, err := m.ledger.Checkpoints(ctx)
	if err != nil || len(known) > 0 {
		return err
	}
	var looked []string
	for _, h := range r.Harnesses {
		looked = append(looked, lookedIn(h))
	}
	return &Fault{
		Err: errors.New("no logs were found"),
		Hint: "looked in\n" + strings.Join(looked, "\n") +
			"\n`meterbridge harnesses` lists every place; `meterbridge usage --demo` shows the bundled example",
		Nothing: true,
	}
}

// lookedIn is a line on where the logs of a harness were looked for: its first
// place, the number of further ones, and what moves them.
func lookedIn(h scanner.HarnessResult) string {
	if len(h.Roots) == 0 {
		return h.Harness + ": nowhere"
	}
	line := h.Harness + ": " + h.Roots[0].Path
	if n := len(h.Roots) - 1; n > 0 {
		line += fmt.Sprintf(" and %d more", n)
	}
	var variables []string
	for _, root := range h.Roots {
		if root.Variable != "" && !slices.Contains(variables, root.Variable) {
			variables = append(variables, root.Variable)
		}
	}
	switch len(variables) {
	case 0:
		return line
	case 1:
		return line + " (" + variables[0] + " moves it)"
	}
	return line + " (" + strings.Join(variables, ", ") + " move it)"
}
