package claudecode

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"
)

// Bounds of the memory that a checkpoint keeps.
const (
	keptSent     = 8
	keptReused   = 64
	keptPrompted = 8
	// longestReused is the longest message id that is suspected of being reused:
	// a gateway that numbers its answers ("msg_0"). Real ids have 24 characters
	// and more.
	longestReused = 12
	// reuseAfter is how long after the last record of a message another request
	// id under the same message id is taken for another request.
	reuseAfter = time.Hour
)

// state is the parser's memory at a checkpoint.
type state struct {
	// Last is the time of the last row that had one, epoch milliseconds.
	Last int64 `json:"l,omitempty"`
	// File is the session of the file's first row, Summary a title that waits for it.
	File    string `json:"f,omitempty"`
	Summary string `json:"y,omitempty"`
	// Empty is the last answer without usage, of which an event tells.
	Empty string `json:"e,omitempty"`
	// Sent are the newest api-request rows that no answer has named yet.
	Sent []sentRequest `json:"s,omitempty"`
	// Messages are the newest answers with tool calls.
	Messages []messageTools `json:"m,omitempty"`
	// Reused are short message ids; empty in the logs of real providers.
	Reused []reusedID `json:"r,omitempty"`
	Turn   turn       `json:"t,omitzero"`
	// Command waits for an answer of the model.
	Command *heldCommand `json:"c,omitempty"`
	// Prompted are sessions whose first prompt was seen.
	Prompted []string `json:"p,omitempty"`
}

type sentRequest struct {
	ID string `json:"i"`
	At int64  `json:"t"`
}

type reusedID struct {
	ID string `json:"i"`
	// First is the request id that has the plain identity, Now the one of the
	// request that the last record belonged to.
	First string `json:"f"`
	Now   string `json:"n"`
	At    int64  `json:"t"`
}

func decodeState(b []byte) state {
	var s state
	if len(b) == 0 || json.Unmarshal(b, &s) != nil {
		return state{}
	}
	return s
}

// sent remembers when a request was sent.
func (s *state) sent(id []byte, at time.Time) {
	if len(id) == 0 {
		return
	}
	if len(s.Sent) >= keptSent {
		s.Sent = slices.Delete(s.Sent, 0, 1)
	}
	s.Sent = append(s.Sent, sentRequest{ID: key(id), At: at.UnixMilli()})
}

// started is when the request that an answer names was sent; zero when no row
// told. The row is forgotten: later lines of the answer take it from the first.
func (s *state) started(ref []byte) time.Time {
	if len(ref) == 0 {
		return time.Time{}
	}
	want := key(ref)
	for i := range s.Sent {
		if s.Sent[i].ID == want {
			at := time.UnixMilli(s.Sent[i].At).UTC()
			s.Sent = slices.Delete(s.Sent, i, i+1)
			return at
		}
	}
	return time.Time{}
}

// reused is the identity of a message whose id is so short that a gateway may
// give it again. Copies in side chains keep the plain one.
func (s *state) reused(id, request string, side bool, now time.Time) (native, rule string) {
	at := slices.IndexFunc(s.Reused, func(r reusedID) bool { return r.ID == id })
	if side || request == "" && at < 0 {
		return id, ruleMessage
	}
	if at < 0 {
		if len(s.Reused) < keptReused {
			s.Reused = append(s.Reused, reusedID{ID: id, First: request, Now: request, At: now.UnixMilli()})
		}
		return id, ruleMessage
	}
	r := &s.Reused[at]
	switch {
	case request == r.First:
		r.Now = r.First
	case request != "" && request != r.Now && now.Sub(time.UnixMilli(r.At)) > reuseAfter:
		r.Now = request
	}
	r.At = max(r.At, now.UnixMilli())
	if r.Now == r.First {
		return id, ruleMessage
	}
	return id + "#" + r.Now, ruleReused
}

// firstPrompt reports whether no prompt of the session was seen before.
func (s *state) firstPrompt(session string) bool {
	k := key([]byte(session))
	if slices.Contains(s.Prompted, k) {
		return false
	}
	if len(s.Prompted) >= keptPrompted {
		s.Prompted = slices.Delete(s.Prompted, 0, 1)
	}
	s.Prompted = append(s.Prompted, k)
	return true
}

// key is a short stand-in for an id in the state.
func key(id []byte) string {
	return strconv.FormatUint(hash64(id), 36)
}

// hash64 is FNV-1a: it must be the same in every run.
func hash64(b []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

func hash32(b []byte) uint32 {
	h := hash64(b)
	return uint32(h ^ h>>32)
}
