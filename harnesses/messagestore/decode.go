package messagestore

import (
	"meterbridge"
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

// readUsage reads a tokens object. A negative number is a fault of old builds,
// which subtracted a cache that lay outside the input: 0.
func readUsage(c *walk.Cursor) (u usage) {
	eachMember(c, func(key string) bool {
		switch key {
		case "total":
			u.total = count(c)
		case "input":
			u.input = count(c)
		case "output":
			u.output = count(c)
		case "reasoning":
			u.reasoning = count(c)
		case "cache":
			eachMember(c, func(key string) bool {
				switch key {
				case "read":
					u.read = count(c)
				case "write":
					u.write = count(c)
				default:
					return false
				}
				return true
			})
		default:
			return false
		}
		return true
	})
	return u
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

// count reads a number of tokens; a whole number in another notation counts too.
func count(c *walk.Cursor) meterbridge.Count {
	n, ok := c.Int()
	if !ok {
		return meterbridge.Count{}
	}
	return meterbridge.Reported(max(n, 0))
}

// price reads the raw text of a cost; null for none, for a zero, which only
// means that no price was known, and for nonsense.
func price(raw []byte) meterbridge.NullPico {
	if len(raw) == 0 || raw[0] < '0' || raw[0] > '9' {
		return meterbridge.NullPico{}
	}
	p, err := meterbridge.ParseUSD(string(raw))
	if err != nil || p.IsZero() {
		return meterbridge.NullPico{}
	}
	return meterbridge.SomePico(p)
}
