package pricing

import "strings"

// lay puts an override over what the table says of a model. A name that was an
// alias becomes an id of its own with the rates it had, so that only this name
// changes its price.
func (p *provider) lay(o Override) error {
	iv, err := o.interval()
	if err != nil {
		return err
	}
	id := strings.TrimSpace(o.Model)
	name := strings.ToLower(id)
	m := p.models[name]
	if m == nil {
		m = &model{id: id}
		if base := p.aliases[name]; base != nil {
			*m = *base
			m.id = id
			delete(p.aliases, name)
		}
		p.models[name] = m
	}
	m.intervals = overlaid(m.intervals, iv)
	return nil
}

// overlaid cuts top out of the list and puts it in.
func overlaid(list []interval, top interval) []interval {
	var before, after []interval
	for _, iv := range list {
		if iv.from < top.from {
			head := iv
			head.to = min(iv.to, top.from)
			before = append(before, head)
		}
		if iv.to > top.to {
			tail := iv
			tail.from = max(iv.from, top.to)
			after = append(after, tail)
		}
	}
	return append(append(before, top), after...)
}
