package pricing

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// foreign are prices of another list: by provider and id, in lower case.
type foreign map[string]map[string]foreignModel

// foreignModel is one id of another list with its rate.
type foreignModel struct {
	id   string
	rate wireRate
}

func (f foreign) add(provider, id string, rate wireRate) {
	provider = strings.ToLower(provider)
	if f[provider] == nil {
		f[provider] = map[string]foreignModel{}
	}
	f[provider][strings.ToLower(id)] = foreignModel{id: id, rate: rate}
}

// imported lays a foreign list over the active table: of the named providers
// only, as intervals that start now. Two sources are never mixed in one rate.
func imported(active []byte, list foreign, o UpdateOptions) ([]byte, error) {
	b, err := openBook(active)
	if err != nil {
		return nil, err
	}
	d, err := split(active)
	if err != nil {
		return nil, err
	}
	for _, name := range o.Providers {
		key := d.canonical(strings.ToLower(strings.TrimSpace(name)))
		models := list.of(d, key)
		if len(models) == 0 || key == localProvider {
			return nil, fmt.Errorf("%w: no prices of provider %q in the list", ErrFormat, name)
		}
		if err := b.fill(key, models, o); err != nil {
			return nil, err
		}
	}
	b.set("version", d.Version+"+"+o.Format+"."+o.Now.UTC().Format("20060102.150405"))
	if today := o.Now.UTC().Format(time.DateOnly); today > d.AsOf {
		b.set("as_of", today)
	}
	return b.bytes(), nil
}

// of gathers what the list calls a provider by any of its names.
func (f foreign) of(d *document, key string) map[string]foreignModel {
	all := map[string]foreignModel{}
	for name, models := range f {
		if d.canonical(name) != key {
			continue
		}
		for id, m := range models {
			all[id] = m
		}
	}
	return all
}

// fill adds or replaces the models of one provider.
func (b *book) fill(key string, models map[string]foreignModel, o UpdateOptions) error {
	p := b.provider(key)
	for _, name := range sortedKeys(models) {
		m := models[name]
		id, raw := p.named(name, m.id)
		var w wireModel
		if raw != nil {
			if err := json.Unmarshal(raw, &w); err != nil {
				return fmt.Errorf("model %s/%s: %w", key, id, err)
			}
		}
		if !w.start(m.rate, o) {
			continue
		}
		text, err := json.Marshal(w)
		if err != nil {
			return err
		}
		p.models[id] = text
	}
	return nil
}

// start makes rate the one that holds from now on, until a rate that is already
// scheduled; it reports whether anything changed.
func (w *wireModel) start(rate wireRate, o UpdateOptions) bool {
	now := o.Now.UTC().Truncate(time.Second)
	rate.From, rate.Src, rate.Seen = now.Format(time.RFC3339), o.Format, now.Format(time.DateOnly)
	w.Unpriced = ""
	for i := range w.Rates {
		old := &w.Rates[i]
		to, err := bound(old.To, never)
		if err != nil || now.Unix() >= to {
			continue
		}
		if agrees(old.wireClasses, rate.wireClasses) {
			return false
		}
		if from, err := bound(old.From, always); err == nil && from >= now.Unix() {
			// Only rates of the future are known: this one comes before them.
			rate.To = old.From
			w.Rates = append(w.Rates[:i:i], append([]wireRate{rate}, w.Rates[i:]...)...)
			return true
		}
		rate.To, old.To = old.To, rate.From
		w.Rates = append(w.Rates[:i+1:i+1], append([]wireRate{rate}, w.Rates[i+1:]...)...)
		return true
	}
	w.Rates = append(w.Rates, rate)
	return true
}

// agrees reports whether the known rate says the same in every class that the
// new one gives: then the known one, which may say more, stays.
func agrees(known, fresh wireClasses) bool {
	a, b := known.given(), fresh.given()
	for c := range class(classes) {
		if b.given.has(c) && (!a.given.has(c) || a.pico[c] != b.pico[c]) {
			return false
		}
	}
	return true
}
