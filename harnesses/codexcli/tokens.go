package codexcli

import (
	"meterbridge"
	"meterbridge/harnesses/walk"
)

// usage is a usage object as Codex writes it: cached and written tokens are a
// part of the input, reasoning is a part of the output. Has tells which of the
// numbers are there.
type usage struct {
	In     int64 `json:"in,omitempty"`
	Cached int64 `json:"cached,omitempty"`
	Write  int64 `json:"write,omitempty"`
	Out    int64 `json:"out,omitempty"`
	Reason int64 `json:"reason,omitempty"`
	Has    uint8 `json:"has,omitempty"`
}

const (
	hasIn uint8 = 1 << iota
	hasCached
	hasWrite
	hasOut
	hasReason
)

// readUsage reads a usage object. One with a number that is no count is unknown
// as a whole: ok is false, and it is empty. What is no object, and an object
// without numbers, is the empty usage.
func readUsage(raw []byte) (u usage, ok bool) {
	if len(raw) == 0 {
		return u, true
	}
	c := walk.Over(raw)
	return scanUsage(&c)
}

// scanUsage reads the usage object that the cursor stands before.
func scanUsage(c *walk.Cursor) (u usage, ok bool) {
	if !c.Object() {
		return u, string(c.Raw()) == "null"
	}
	ok = true
	for first := true; c.Member(&first); {
		switch string(c.Key()) {
		case "input_tokens":
			ok = u.read(c, &u.In, hasIn) && ok
		case "cached_input_tokens":
			ok = u.read(c, &u.Cached, hasCached) && ok
		case "cache_write_input_tokens":
			ok = u.read(c, &u.Write, hasWrite) && ok
		case "output_tokens":
			ok = u.read(c, &u.Out, hasOut) && ok
		case "reasoning_output_tokens":
			ok = u.read(c, &u.Reason, hasReason) && ok
		default:
			c.Skip()
		}
	}
	if !ok {
		return usage{}, false
	}
	return u, true
}

func (u *usage) read(c *walk.Cursor, to *int64, bit uint8) bool {
	*to, u.Has = 0, u.Has&^bit // of two of one name the last holds
	if c.Peek() == 'n' {
		c.Skip()
		return true
	}
	n, ok := c.Int()
	if !ok || n < 0 || n > meterbridge.MaxCount {
		return false
	}
	*to = n
	u.Has |= bit
	return true
}

func number(raw []byte) (int64, bool) {
	if len(raw) == 0 {
		return 0, false
	}
	return walk.Integer(raw)
}

// counter is what a token_count says.
type counter struct {
	total, last usage
	// rates are the raw rate limits.
	rates []byte
	// info: there are counters, not only rate limits; bad: some are no numbers.
	info, bad bool
}

// readCount reads the token_count that the cursor stands before; ok is false
// when it is no object.
func readCount(c *walk.Cursor) (n counter, ok bool) {
	if !c.Object() {
		return n, false
	}
	for first := true; c.Member(&first); {
		switch string(c.Key()) {
		case "info":
			n.readInfo(c)
		case "rate_limits":
			n.rates = c.Raw()
		default:
			c.Skip()
		}
	}
	return n, c.Err() == nil
}

func (n *counter) readInfo(c *walk.Cursor) {
	if !c.Object() {
		n.bad = string(c.Raw()) != "null"
		return
	}
	n.info = true
	var fine bool
	for first := true; c.Member(&first); {
		switch string(c.Key()) {
		case "total_token_usage":
			n.total, fine = scanUsage(c)
			n.bad = n.bad || !fine
		case "last_token_usage":
			n.last, fine = scanUsage(c)
			n.bad = n.bad || !fine
		default:
			c.Skip()
		}
	}
}

// record is what a token_usage_record says; thread and response are raw texts.
type record struct {
	thread, response []byte
	used, total      usage
	bad              bool
}

// readRecord reads the token_usage_record that the cursor stands before; ok is
// false when it is no object.
func readRecord(c *walk.Cursor) (n record, ok bool) {
	if !c.Object() {
		return n, false
	}
	for first := true; c.Member(&first); {
		switch string(c.Key()) {
		case "thread_id":
			n.thread, _ = c.Text()
		case "response_id":
			n.response, _ = c.Text()
		case "usage":
			n.used, ok = scanUsage(c)
			n.bad = !ok
		case "thread_token_usage":
			n.total, _ = scanUsage(c)
		default:
			c.Skip()
		}
	}
	return n, c.Err() == nil
}

// zero reports whether nothing was spent.
func (u usage) zero() bool {
	return u.In == 0 && u.Cached == 0 && u.Write == 0 && u.Out == 0 && u.Reason == 0
}

// same compares the numbers; one that is absent is 0.
func (u usage) same(v usage) bool {
	return u.In == v.In && u.Cached == v.Cached && u.Write == v.Write && u.Out == v.Out && u.Reason == v.Reason
}

// fell reports whether the running total u is below the earlier one v.
func (u usage) fell(v usage) bool { return u.In < v.In || u.Out < v.Out }

// minus is u − v, class by class, for running totals.
func (u usage) minus(v usage) usage {
	u.In = max(0, u.In-v.In)
	u.Cached = max(0, u.Cached-v.Cached)
	u.Write = max(0, u.Write-v.Write)
	u.Out = max(0, u.Out-v.Out)
	u.Reason = max(0, u.Reason-v.Reason)
	return u
}

// tokens are the classes of the ledger.
func (u usage) tokens() meterbridge.Tokens {
	var t meterbridge.Tokens
	if u.Has&hasIn != 0 {
		t.Input = meterbridge.Reported(max(0, u.In-u.Cached-u.Write))
	}
	t.CacheRead = u.count(hasCached, u.Cached)
	t.CacheWrite5m = u.count(hasWrite, u.Write)
	t.Output = u.count(hasOut, u.Out)
	t.Reasoning = u.count(hasReason, u.Reason)
	return t
}

func (u usage) count(bit uint8, n int64) meterbridge.Count {
	return meterbridge.Count{N: n, OK: u.Has&bit != 0}
}
