package metrics

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Floor keeps what was shown over a restart: values by series.
type Floor interface {
	Load() (map[string]float64, error)
	Save(values map[string]float64) error
}

// saveEvery is how often what was shown is kept. What a daemon showed in the
// last moments before it was killed is lost.
const saveEvery = time.Minute

// floor never lets a counter step down: where a correction lowers a total,
// Prometheus would take that for a restart and add all of it again.
type floor struct {
	store Floor
	now   func() time.Time

	mu      sync.Mutex
	values  map[string]float64
	changed bool
	saved   time.Time
}

// newFloor takes up what was shown before.
func newFloor(store Floor, now func() time.Time) (*floor, error) {
	f := &floor{store: store, now: now, values: map[string]float64{}, saved: now()}
	if store == nil {
		return f, nil
	}
	values, err := store.Load()
	if values != nil {
		f.values = values
	}
	return f, err
}

// raise is the greater of the value and what was shown of the series before.
func (f *floor) raise(series string, value float64) float64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	last, known := f.values[series]
	if known && last >= value {
		return last
	}
	f.values[series], f.changed = value, true
	return value
}

// rest are the series of a family that were shown once and are not in seen: they
// stay as they were. Their labels come with the values.
func (f *floor) rest(name string, seen map[string]bool) map[string]float64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := map[string]float64{}
	for series, value := range f.values {
		if strings.HasPrefix(series, name+separator) && !seen[series] {
			out[series] = value
		}
	}
	return out
}

// keep saves what changed, once in a while.
func (f *floor) keep() error {
	f.mu.Lock()
	due := f.changed && f.now().Sub(f.saved) >= saveEvery
	f.mu.Unlock()
	if !due {
		return nil
	}
	return f.save()
}

func (f *floor) save() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.store == nil || !f.changed {
		return nil
	}
	if err := f.store.Save(maps.Clone(f.values)); err != nil {
		return err
	}
	f.changed, f.saved = false, f.now()
	return nil
}

// separator parts the name and the labels of a series; no label holds it.
const separator = "\x00"

// seriesOf names a series.
func seriesOf(name string, labels []string) string {
	return strings.Join(append([]string{name}, labels...), separator)
}

// labelsOf are the labels of a series, nil when there are not n.
func labelsOf(series string, n int) []string {
	parts := strings.Split(series, separator)
	if len(parts) != n+1 {
		return nil
	}
	return slices.Clone(parts[1:])
}
