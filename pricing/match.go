package pricing

import "strings"

// The reasons why a paid request has no list price; they follow "unpriced|" in
// a price key.
const (
	ReasonOwnServer       = "own-server"
	ReasonNoProvider      = "no-provider"
	ReasonUnknownProvider = "unknown-provider"
	ReasonUnknownModel    = "unknown-model"
	ReasonNoRate          = "no-rate"
	ReasonUnknownMode     = "unknown-mode"
	ReasonNotThen         = "not-priced-then"
)

// The steps at which a model can be matched.
const (
	stepExact     = "exact"
	stepAlias     = "alias"
	stepTransport = "transport"
	stepNeutral   = "neutral"
	stepMode      = "mode"
	stepEffort    = "effort"
	stepCanonical = "canonical"
	stepUserAlias = "user-alias"
	stepGateway   = "gateway"
)

// query is what a price depends on before any token is looked at.
type query struct{ provider, model, fallback string }

// matched is the answer to a query: a row of the table, or why there is none.
type matched struct {
	reason string
	// provider and id name the row; step is the edit that led to it.
	provider, id, step string
	intervals          []interval
	// mode is set when the name itself asks for a mode.
	mode       string
	floating   bool
	equivalent bool
	modifiers  *modifiers
	geoApplies bool
	// user is the user's multiplier of the provider.
	user Factor
	keys keyCache
}

// found is a model together with the edit that led to it.
type found struct {
	p    *provider
	m    *model
	step string
	mode string
}

func unpriced(reason string) *matched { return &matched{reason: reason} }

// cacheLimit bounds the memory that names in logs can take.
const cacheLimit = 1 << 16

// match resolves a query, once for each distinct one.
func (t *Table) match(q query) *matched {
	t.mu.RLock()
	m := t.cache[q]
	t.mu.RUnlock()
	if m != nil {
		return m
	}
	m = t.resolve(q)
	t.mu.Lock()
	defer t.mu.Unlock()
	if known := t.cache[q]; known != nil {
		return known
	}
	if t.cache == nil || len(t.cache) >= cacheLimit {
		t.cache = map[query]*matched{}
	}
	t.cache[q] = m
	return m
}

// resolve is the one resolver: every command, report and page prices with it.
func (t *Table) resolve(q query) *matched {
	d := t.open()
	model := strings.ToLower(strings.TrimSpace(q.model))
	name := providerName(d, q, model)
	switch {
	case name == "":
		return unpriced(ReasonNoProvider)
	case localURL(name):
		return unpriced(ReasonOwnServer)
	}
	key := d.key(name)
	if target, ok := t.rules.aliases[place{key, model}]; ok {
		return t.finish(d, key, found{p: d.providers[target.provider], m: target.model, step: stepUserAlias})
	}
	if t.rules.local[key] || d.canonical(name) == localProvider {
		return unpriced(ReasonOwnServer)
	}
	if m := t.throughGateway(d, key, model); m != nil {
		return m
	}
	p := d.providers[key]
	switch {
	case p == nil:
		return unpriced(ReasonUnknownProvider)
	case p.open().kind == kindLocal:
		return unpriced(ReasonOwnServer)
	}
	hit, ok := d.find(p, model)
	if !ok {
		return unpriced(ReasonUnknownModel)
	}
	m := t.finish(d, key, hit)
	m.equivalent = m.equivalent || planLogin(name)
	return m
}

// planLogin reports whether a harness's word for a provider says that the user
// is logged in with a plan: same models, but the list price is not the bill.
func planLogin(name string) bool {
	switch name {
	case "openai-codex", "chatgpt", "anthropic-oauth":
		return true
	}
	return false
}

// providerName is the provider of a query in lower case: the logged one, the
// harness's own, or a known one that begins the model's name.
func providerName(d *document, q query, model string) string {
	for _, name := range [...]string{q.provider, q.fallback} {
		if name = strings.ToLower(strings.TrimSpace(name)); name != "" {
			return name
		}
	}
	if first, _, ok := strings.Cut(model, "/"); ok && d.known(first) {
		return first
	}
	return ""
}

// throughGateway follows the user's mapping of a gateway; nil when none fits.
func (t *Table) throughGateway(d *document, key, model string) *matched {
	for _, g := range t.rules.gateways[key] {
		rest, ok := strings.CutPrefix(model, g.strip)
		if !ok || rest == "" {
			continue
		}
		hit, ok := d.find(d.providers[g.as], rest)
		if !ok {
			continue
		}
		hit.step = stepGateway
		return t.finish(d, key, hit)
	}
	return nil
}

// find looks a name up at a provider: exactly, and after each edit of a closed
// list, exactly again.
func (d *document) find(p *provider, name string) (found, bool) {
	p.open()
	if p.id == "amazon-bedrock" {
		name = lastOfARN(name)
	}
	if hit, ok := p.exact(name); ok {
		return hit, true
	}
	forms := []string{name}
	if bare, ok := d.withoutTransport(p, name); ok {
		if hit, ok := p.after(bare, stepTransport); ok {
			return hit, true
		}
		forms = append(forms, bare)
	}
	for _, form := range forms {
		for rest, ok := cutNeutral(form); ok; rest, ok = cutNeutral(rest) {
			if hit, ok := p.after(rest, stepNeutral); ok {
				return hit, true
			}
			forms = append(forms, rest)
		}
	}
	for _, form := range forms {
		if hit, ok := d.findMode(p, form); ok {
			return hit, true
		}
	}
	for _, form := range forms {
		if rest, ok := cutEffort(form); ok {
			if hit, ok := p.after(rest, stepEffort); ok {
				return hit, true
			}
		}
	}
	return found{}, false
}

// findMode accepts an ending that names a mode only if the rest has that mode.
func (d *document) findMode(p *provider, name string) (found, bool) {
	rest, word, ok := cutMode(name)
	if !ok {
		return found{}, false
	}
	hit, ok := p.after(rest, stepMode)
	if !ok {
		return found{}, false
	}
	hit.mode = word
	if rule, ok := d.modifiersOf(p).tiers[word]; ok && rule.mode != "" {
		hit.mode = rule.mode
	}
	return hit, hasMode(d.source(hit).m.intervals, hit.mode)
}

func (p *provider) exact(name string) (found, bool) {
	if m := p.models[name]; m != nil {
		return found{p: p, m: m, step: stepExact}, true
	}
	if m := p.aliases[name]; m != nil {
		return found{p: p, m: m, step: stepAlias}, true
	}
	return found{}, false
}

func (p *provider) after(name, step string) (found, bool) {
	hit, ok := p.exact(name)
	hit.step = step
	return hit, ok
}

// source is the row whose rates hold for a model: its own, or for a plan that
// has none, that of the maker.
func (d *document) source(hit found) found {
	if hit.p.kind != kindPlan || len(hit.m.intervals) > 0 {
		return hit
	}
	maker, id, _ := strings.Cut(strings.ToLower(hit.m.canonical), "/")
	p := d.providers[maker]
	if p == nil {
		return hit
	}
	m := p.open().models[id]
	if m == nil || len(m.intervals) == 0 {
		return hit
	}
	return found{p: p, m: m, step: stepCanonical, mode: hit.mode}
}

// finish gathers what the price of a matched model depends on. key is the
// provider that was asked for: its plan and its multiplier count, not the row's.
func (t *Table) finish(d *document, key string, hit found) *matched {
	row := d.source(hit)
	if len(row.m.intervals) == 0 {
		return unpriced(ReasonNoRate)
	}
	id := strings.ToLower(row.m.id)
	mods := d.modifiersOf(row.p)
	return &matched{
		provider: row.p.id, id: row.m.id, step: row.step,
		intervals: row.m.intervals, mode: row.mode,
		floating: hit.m.floating || row.m.floating, equivalent: equivalent(hit.p),
		modifiers: mods, geoApplies: mods.geoModels[id],
		user: t.rules.multipliers[key],
	}
}

// equivalent reports whether a list price is not what is billed: a plan.
func equivalent(p *provider) bool { return p.kind == kindPlan || p.kind == kindPlanMetered }
