package treelog

import (
	"meterbridge"
	"meterbridge/harnesses/jsonvalue"
	"meterbridge/harnesses/walk"
)

// usage is a usage object. Input leaves out both classes of the cache, output
// holds reasoning, write holds write1h.
type usage struct {
	present                                          bool
	input, output, reasoning, cached, write, write1h meterbridge.Count
	cost                                             []byte
	// wrong: a number in it is no count, so that nothing is known.
	wrong bool
}

func (u *usage) read(c *walk.Cursor) {
	*u = usage{}
	if !c.Object() {
		u.wrong = c.Peek() != 'n'
		u.present = u.wrong
		c.Skip()
		return
	}
	u.present = true
	for first := true; c.Member(&first); {
		u.member(c)
	}
}

// member reads one number. The names behind the first are those of old rows.
func (u *usage) member(c *walk.Cursor) {
	switch string(c.Key()) {
	case "input", "inputTokens", "input_tokens", "promptTokens", "prompt_tokens":
		u.count(c, &u.input)
	case "output", "outputTokens", "output_tokens", "completionTokens", "completion_tokens":
		u.count(c, &u.output)
	case "reasoning":
		u.count(c, &u.reasoning)
	case "cacheRead", "cache_read", "cache_read_input_tokens":
		u.count(c, &u.cached)
	case "cacheWrite", "cache_write", "cache_creation_input_tokens":
		u.count(c, &u.write)
	case "cacheWrite1h":
		u.count(c, &u.write1h)
	case "cost":
		u.readCost(c)
	default:
		c.Skip()
	}
}

// count reads a number of tokens; null is "not reported".
func (u *usage) count(c *walk.Cursor, to *meterbridge.Count) {
	if c.Peek() == 'n' {
		c.Skip()
		return
	}
	n, ok := c.Int()
	if !ok || n < 0 || n > meterbridge.MaxCount {
		u.wrong = true
		return
	}
	*to = meterbridge.Reported(n)
}

func (u *usage) readCost(c *walk.Cursor) {
	if !c.Object() {
		c.Skip()
		return
	}
	for first := true; c.Member(&first); {
		if string(c.Key()) == "total" {
			u.cost = c.Raw()
			continue
		}
		c.Skip()
	}
}

// zero reports whether no token was used, or none is reported.
func (u *usage) zero() bool {
	return u.input.N == 0 && u.output.N == 0 && u.cached.N == 0 && u.write.N == 0 && u.write1h.N == 0
}

// tokens are the classes of the ledger. The part of writes that lives an hour is
// taken off the whole where the log names it.
func (u *usage) tokens() meterbridge.Tokens {
	t := meterbridge.Tokens{Input: u.input, Output: u.output, Reasoning: u.reasoning, CacheRead: u.cached, CacheWrite5m: u.write}
	if u.write1h.OK {
		t.CacheWrite1h = u.write1h
		t.CacheWrite5m.N = max(0, u.write.N-u.write1h.N)
	}
	return t
}

// recorded is the cost that was written; null for none and for a zero, which
// only means that no price was known. reason says what is wrong with one that
// is not taken over.
func (u *usage) recorded() (p meterbridge.NullPico, reason string) {
	return jsonvalue.USD(u.cost, false)
}
