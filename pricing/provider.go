package pricing

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
)

// The kinds of providers that matter to a price.
const (
	kindPlan        = "plan"
	kindPlanMetered = "plan-metered"
	kindLocal       = "local"
	// kindUser is a provider that only the user's overrides know.
	kindUser = "user"
)

// provider is who sells models. Its models are decoded at the first use.
type provider struct {
	id        string
	raw       []byte
	overrides []Override

	once    sync.Once
	kind    string
	name    string
	models  map[string]*model
	aliases map[string]*model
	// err is the first thing that is wrong with it; what is right stays usable.
	err error
}

// model is one id of a provider.
type model struct {
	id        string
	canonical string
	released  string
	status    string
	floating  bool
	intervals []interval
}

var errName = errors.New("name is not unique")

// open decodes the provider, once.
func (p *provider) open() *provider {
	p.once.Do(func() {
		p.models, p.aliases = map[string]*model{}, map[string]*model{}
		if p.raw == nil {
			p.kind = kindUser
		} else {
			p.note(p.decode())
		}
		for _, o := range p.overrides {
			p.note(p.lay(o))
		}
	})
	return p
}

func (p *provider) note(err error) {
	if err != nil && p.err == nil {
		p.err = fmt.Errorf("provider %s: %w", p.id, err)
	}
}

func (p *provider) decode() error {
	return members(p.raw, func(key string, value []byte) error {
		switch key {
		case "kind":
			return json.Unmarshal(value, &p.kind)
		case "name":
			return json.Unmarshal(value, &p.name)
		case "models":
			return p.decodeModels(value)
		}
		return nil
	})
}

// decodeModels adds ids first and aliases after them, so that an alias can
// never take an id's place.
func (p *provider) decodeModels(raw []byte) error {
	type named struct {
		m     *model
		names []string
	}
	var later []named
	err := members(raw, func(id string, value []byte) error {
		var w wireModel
		if err := json.Unmarshal(value, &w); err != nil {
			p.note(fmt.Errorf("model %q: %w", id, err))
			return nil
		}
		m, err := newModel(id, w)
		p.note(err)
		if name := strings.ToLower(id); p.models[name] == nil {
			p.models[name] = m
		} else {
			p.note(fmt.Errorf("%w: id %q", errName, id))
		}
		if len(w.Aliases) > 0 {
			later = append(later, named{m, w.Aliases})
		}
		return nil
	})
	for _, l := range later {
		for _, name := range l.names {
			p.note(p.addAlias(name, l.m))
		}
	}
	return err
}

func (p *provider) addAlias(name string, m *model) error {
	low := strings.ToLower(name)
	if p.models[low] != nil || p.aliases[low] != nil {
		return fmt.Errorf("%w: alias %q of %q", errName, name, m.id)
	}
	p.aliases[low] = m
	return nil
}

// newModel returns a model without rates beside an error.
func newModel(id string, w wireModel) (*model, error) {
	m := &model{id: id, canonical: w.Canonical, released: w.Released, status: w.Status, floating: w.Floating}
	var list []interval
	for _, r := range w.Rates {
		iv, err := newInterval(r)
		if err != nil {
			return m, fmt.Errorf("model %q: %w", id, err)
		}
		list = append(list, iv)
	}
	if err := inOrder(list); err != nil {
		return m, fmt.Errorf("model %q: %w", id, err)
	}
	m.intervals = list
	return m, nil
}

// hasMode reports whether the mode is priced at any time.
func hasMode(list []interval, name string) bool {
	for i := range list {
		for _, m := range list[i].modes {
			if m.name == name {
				return true
			}
		}
	}
	return false
}
