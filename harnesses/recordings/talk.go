package recordings

import (
	"slices"
	"time"

	"meterbridge"
)

// Bounds of the memory of a conversation: messages that a rewind can find, those
// of them whose text is kept, and the characters of a reply.
const (
	talkMessages = 48
	talkReplies  = 4
	longestReply = 4000
)

// talk is the end of the conversation as it stands: a rewind takes messages back,
// and the reply before them is the last one again.
type talk []said

type said struct {
	ID    string `json:"i"`
	Reply string `json:"r,omitempty"`
}

// add appends a message, or replaces the one of the same id; it returns the reply.
func (t *talk) add(m *message, at time.Time) meterbridge.Session {
	s := said{ID: m.id}
	if m.kind == "gemini" {
		s.Reply = cutTo(m.text, longestReply)
	}
	list := *t
	i := slices.IndexFunc(list, func(o said) bool { return m.id != "" && o.ID == m.id })
	if i >= 0 {
		list[i] = s
	} else {
		list = append(list, s)
	}
	if len(list) > talkMessages {
		list = slices.Delete(list, 0, len(list)-talkMessages)
	}
	*t = list
	t.forget()
	return meterbridge.Session{LastReply: s.Reply, LastReplyAt: at}
}

// forget drops the texts of all but the newest replies.
func (t talk) forget() {
	kept := 0
	for i := range slices.Backward(t) {
		if t[i].Reply == "" {
			continue
		}
		if kept++; kept > talkReplies {
			t[i].Reply = ""
		}
	}
}

// cut takes back a message and those after it; all, when it is not known.
func (t *talk) cut(id string) {
	*t = (*t)[:max(0, slices.IndexFunc(*t, func(s said) bool { return s.ID == id }))]
}

// reply is the newest text of the agent that still stands.
func (t talk) reply() string {
	for _, s := range slices.Backward(t) {
		if s.Reply != "" {
			return s.Reply
		}
	}
	return ""
}

// silent is the conversation without its texts.
func (t talk) silent() talk {
	out := slices.Clone(t)
	for i := range out {
		out[i].Reply = ""
	}
	return out
}

// cutTo is the beginning of a text, at most n characters.
func cutTo(text string, n int) string {
	for i := range text {
		if n--; n < 0 {
			return text[:i]
		}
	}
	return text
}
