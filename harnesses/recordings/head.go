package recordings

import (
	"meterbridge/harnesses/walk"
)

// head is what is said of a conversation as a whole: in the first line of a
// file, in a patch ("$set"), or around the messages of a document.
type head struct {
	session, kind, summary string
	started, updated       string
	// messages are the raw messages; replaced says that there were some.
	messages []byte
}

// read reads one member; false leaves it to be skipped.
func (h *head) read(c *walk.Cursor, key string) bool {
	switch key {
	case "sessionId":
		h.session = c.String()
	case "kind":
		h.kind = c.String()
	case "summary":
		h.summary = c.String()
	case "startTime":
		h.started = c.String()
	case "lastUpdated":
		h.updated = c.String()
	case "messages":
		h.messages = c.Raw()
	default:
		return false
	}
	return true
}

// row is one line: a head, a message, a patch or a rewind.
type row struct {
	head
	message
	set      *head
	rewind   string
	isRewind bool
}

// read takes the line apart.
func (r *row) read(line []byte) error {
	c := walk.Over(line)
	if c.Peek() != '{' {
		return walk.ErrSyntax
	}
	c.Each(func(key string) bool {
		switch key {
		case "$set":
			r.set = &head{}
			c.Each(func(key string) bool { return r.set.read(&c, key) })
		case "$rewindTo":
			r.rewind, r.isRewind = c.String(), true
		default:
			return r.message.member(&c, key) || r.head.read(&c, key)
		}
		return true
	})
	if !c.End() {
		return walk.ErrSyntax
	}
	return nil
}
