package pricing

import (
	"fmt"
	"strings"
	"sync"
)

// keyCache holds the price keys of one matched row, so that a key is built once
// and not for each request.
type keyCache struct {
	mu   sync.RWMutex
	keys map[variant]string
}

// key is the text that the ledger stores beside a cost:
// "provider/id|interval start|step|variant|flags". The start is "-" for the
// first, open interval; the variant is "base" or parts joined by "+"; flags are
// joined by commas, or empty.
func (q *quote) key() string {
	if q.reason != "" {
		return unpricedKey(q.reason)
	}
	c := &q.m.keys
	c.mu.RLock()
	key, ok := c.keys[q.variant]
	c.mu.RUnlock()
	if ok {
		return key
	}
	key = q.buildKey()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.keys == nil {
		c.keys = map[variant]string{}
	}
	c.keys[q.variant] = key
	return key
}

const unpricedPrefix = "unpriced|"

// unpricedKey is a constant text for each reason, so that it costs nothing.
func unpricedKey(reason string) string {
	switch reason {
	case ReasonOwnServer:
		return unpricedPrefix + ReasonOwnServer
	case ReasonNoProvider:
		return unpricedPrefix + ReasonNoProvider
	case ReasonUnknownProvider:
		return unpricedPrefix + ReasonUnknownProvider
	case ReasonUnknownModel:
		return unpricedPrefix + ReasonUnknownModel
	case ReasonNoRate:
		return unpricedPrefix + ReasonNoRate
	case ReasonUnknownMode:
		return unpricedPrefix + ReasonUnknownMode
	}
	return unpricedPrefix + ReasonNotThen
}

func (q *quote) buildKey() string {
	from := boundText(q.interval.from)
	if from == "" {
		from = "-"
	}
	return fmt.Sprintf("%s/%s|%s|%s|%s|%s", q.m.provider, q.m.id, from, q.m.step, q.variantText(), q.variant.flags)
}

// variantText names what the price is besides the base rate.
func (q *quote) variantText() string {
	var parts []string
	v := q.variant
	if v.mode > 0 {
		parts = append(parts, q.interval.modes[v.mode-1].name)
	}
	if v.tier > 0 {
		parts = append(parts, fmt.Sprintf("above-%d", q.interval.tiers[v.tier-1].above))
	}
	if v.window {
		parts = append(parts, "window")
	}
	switch v.half {
	case halfBatch:
		parts = append(parts, "half-batch")
	case halfFlex:
		parts = append(parts, "half-flex")
	}
	if v.geo {
		parts = append(parts, "geo")
	}
	if q.m.user.Den != 0 {
		parts = append(parts, "x"+q.m.user.String())
	}
	if len(parts) == 0 {
		return "base"
	}
	return strings.Join(parts, "+")
}

func (f flag) String() string {
	var names []string
	for _, n := range [...]struct {
		flag flag
		name string
	}{{estimated, "estimated"}, {listEquivalent, "equivalent"}, {scheduledRate, "scheduled"}} {
		if f&n.flag != 0 {
			names = append(names, n.name)
		}
	}
	return strings.Join(names, ",")
}
