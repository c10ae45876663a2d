package claudecode

import (
	"meterbridge"
	"meterbridge/harnesses/walk"
)

// usage is the usage object of a message. wrong is set when a number in it is
// no count: then nothing is known and no request is made of the row.
type usage struct {
	present, wrong                bool
	input, output, reasoning      meterbridge.Count
	cacheRead, cacheWrite         meterbridge.Count
	write5m, write1h, webSearches meterbridge.Count
	tier, speed, geo              []byte
}

func (u *usage) read(c *walk.Cursor) {
	*u = usage{}
	if !c.Object() {
		u.wrong = c.Peek() != 'n'
		c.Skip()
		return
	}
	u.present = true
	for first := true; c.Member(&first); {
		switch string(c.Key()) {
		case "input_tokens":
			u.input = u.count(c)
		case "output_tokens":
			u.output = u.count(c)
		case "cache_read_input_tokens":
			u.cacheRead = u.count(c)
		case "cache_creation_input_tokens":
			u.cacheWrite = u.count(c)
		case "cache_creation":
			u.readSplit(c)
		case "output_tokens_details":
			u.reasoning = u.countIn(c, "thinking_tokens")
		case "server_tool_use":
			u.webSearches = u.countIn(c, "web_search_requests")
		case "service_tier":
			u.tier, _ = c.Text()
		case "speed":
			u.speed, _ = c.Text()
		case "inference_geo":
			u.geo, _ = c.Text()
		default:
			c.Skip() // iterations lie inside the outer numbers
		}
	}
}

func (u *usage) readSplit(c *walk.Cursor) {
	u.write5m, u.write1h = meterbridge.Count{}, meterbridge.Count{}
	if !c.Object() {
		u.wrong = u.wrong || c.Peek() != 'n'
		c.Skip()
		return
	}
	for first := true; c.Member(&first); {
		switch string(c.Key()) {
		case "ephemeral_5m_input_tokens":
			u.write5m = u.count(c)
		case "ephemeral_1h_input_tokens":
			u.write1h = u.count(c)
		default:
			c.Skip()
		}
	}
}

// countIn reads one count of an object, null when the object is null or lacks it.
func (u *usage) countIn(c *walk.Cursor, name string) (n meterbridge.Count) {
	if !c.Object() {
		u.wrong = u.wrong || c.Peek() != 'n'
		c.Skip()
		return n
	}
	for first := true; c.Member(&first); {
		if string(c.Key()) == name {
			n = u.count(c)
			continue
		}
		c.Skip()
	}
	return n
}

// count reads a count: null is "not reported", anything but a whole number from
// 0 to meterbridge.MaxCount marks the usage as wrong.
func (u *usage) count(c *walk.Cursor) meterbridge.Count {
	if c.Peek() == 'n' {
		c.Skip()
		return meterbridge.Count{}
	}
	n, ok := c.Int()
	if !ok || n < 0 || n > meterbridge.MaxCount {
		u.wrong = true
		return meterbridge.Count{}
	}
	return meterbridge.Reported(n)
}

// tokens are the classes of the domain. Input is uncached as logged, thinking
// lies inside output. A write whose lifetime is not told counts as five minutes.
func (u *usage) tokens() meterbridge.Tokens {
	t := meterbridge.Tokens{
		Input: u.input, Output: u.output, Reasoning: u.reasoning, CacheRead: u.cacheRead,
		CacheWrite5m: u.write5m, CacheWrite1h: u.write1h,
	}
	if rest := u.cacheWrite.N - u.write5m.N - u.write1h.N; u.cacheWrite.OK && (rest > 0 || !u.write5m.OK && !u.write1h.OK) {
		t.CacheWrite5m = t.CacheWrite5m.Plus(meterbridge.Reported(rest))
	}
	return t
}

// empty reports whether nothing was spent.
func (u *usage) empty() bool {
	return u.input.N == 0 && u.output.N == 0 && u.cacheRead.N == 0 && u.cacheWrite.N == 0 &&
		u.write5m.N == 0 && u.write1h.N == 0 && u.webSearches.N == 0
}
