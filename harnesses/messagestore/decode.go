package messagestore

import (
	"meterbridge"
	"meterbridge/harnesses/jsonvalue"
	"meterbridge/harnesses/walk"
)

// decode reads a message. What is missing or of another type stays empty; only
// what is no JSON object is an error. w may be nil.
func decode(data []byte, w words) (message, error) {
	m := message{words: w}
	c := document(data)
	if c.Peek() != '{' {
		return m, errMalformed
	}
	m.read(&c)
	if !c.End() {
		return message{}, errMalformed
	}
	return m, nil
}

func (m *message) read(c *walk.Cursor) {
	text := m.words.text
	eachMember(c, func(key string) bool {
		switch key {
		case "id":
			m.id = unquoted(c)
		case "sessionID":
			m.session = text(c)
		case "role":
			m.role = text(c)
		case "parentID":
			m.parent = unquoted(c)
		case "modelID":
			m.model = text(c)
		case "providerID":
			m.provider = text(c)
		case "agent":
			m.agent = text(c)
		case "mode":
			m.mode = text(c)
		case "finish":
			m.finish = text(c)
		case "cost":
			m.cost = c.Raw()
		case "summary":
			m.summary, _ = c.Bool()
		case "time":
			m.readTime(c)
		case "path":
			m.readPath(c)
		case "tokens":
			m.usage = readUsage(c)
		case "error":
			m.failure = readFailure(c)
		case "metadata":
			m.readMetadata(c)
		case "parts":
			m.readParts(c)
		default:
			return false
		}
		return true
	})
}

func (m *message) readTime(c *walk.Cursor) {
	eachMember(c, func(key string) bool {
		switch key {
		case "created":
			m.created = instant(c)
		case "completed":
			m.completed = instant(c)
		default:
			return false
		}
		return true
	})
}

func (m *message) readPath(c *walk.Cursor) {
	eachMember(c, func(key string) bool {
		if key == "cwd" {
			m.cwd = m.words.text(c)
			return true
		}
		return false
	})
}

// readUsage reads a tokens object; null is none.
func readUsage(c *walk.Cursor) (u usage) {
	u.container(c)
	eachMember(c, func(key string) bool {
		switch key {
		case "total":
			wrong := u.wrong
			u.total = u.count(c)
			u.wrong = wrong
		case "input":
			u.input = u.count(c)
		case "output":
			u.output = u.count(c)
		case "reasoning":
			u.reasoning = u.count(c)
		case "cache":
			u.readCache(c)
		default:
			return false
		}
		return true
	})
	return u
}

func (u *usage) readCache(c *walk.Cursor) {
	u.container(c)
	eachMember(c, func(key string) bool {
		switch key {
		case "read":
			u.read = u.count(c)
		case "write":
			u.write = u.count(c)
		default:
			return false
		}
		return true
	})
}

// container notes what stands in the place of an object of numbers.
func (u *usage) container(c *walk.Cursor) {
	if b := c.Peek(); b != '{' && b != 'n' {
		u.wrong, u.odd = true, true
	}
}

// count reads a number of tokens; a whole number in another notation counts too,
// null is "not reported". A negative number is a fault of old builds, which
// subtracted a cache that lay outside the input: 0. Anything else marks the
// usage as wrong.
func (u *usage) count(c *walk.Cursor) meterbridge.Count {
	if c.Peek() == 'n' {
		c.Skip()
		return meterbridge.Count{}
	}
	n, ok := c.Int()
	if !ok || n > meterbridge.MaxCount {
		u.wrong, u.odd = true, true
		return meterbridge.Count{}
	}
	return meterbridge.Reported(max(n, 0))
}

func readFailure(c *walk.Cursor) (f failure) {
	eachMember(c, func(key string) bool {
		switch key {
		case "name":
			f.name = unquoted(c)
		case "data":
			eachMember(c, func(key string) bool {
				if key != "statusCode" {
					return false
				}
				f.status, _ = c.Int()
				return true
			})
		default:
			return false
		}
		return true
	})
	return f
}

// unquoted reads a string; empty for anything else.
func unquoted(c *walk.Cursor) string {
	raw, ok := c.Text()
	if !ok {
		return ""
	}
	return walk.Unquote(raw, 0)
}

// instant reads epoch milliseconds; 0 for anything else.
func instant(c *walk.Cursor) int64 {
	n, ok := c.Int()
	if !ok || n < 0 || n > maxInstant {
		return 0
	}
	return n
}

// maxInstant is the year 9999 in epoch milliseconds.
const maxInstant = 253402300799999

// price reads the raw text of a cost; null for none, for a zero, which only
// means that no price was known, and for nonsense, of which reason says what it
// is.
func price(raw []byte) (p meterbridge.NullPico, reason string) {
	return jsonvalue.USD(raw, false)
}
