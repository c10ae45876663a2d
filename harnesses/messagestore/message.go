package messagestore

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"meterbridge"
	"meterbridge/harnesses/walk"
)

// errMalformed is the error of a record that is no JSON object.
var errMalformed = errors.New("not a JSON object")

// message is one record of a conversation, as either layout keeps it. Times are
// epoch milliseconds, 0 where there is none.
type message struct {
	id, session        string
	role               string
	created, completed int64
	// parent is the message that this one answers.
	parent          string
	model, provider string
	// agent is the agent's name, mode what builds before agents had.
	agent, mode string
	cwd         string
	cost        []byte
	usage       usage
	finish      string
	// summary marks the answer of a compaction.
	summary bool
	failure failure
	// parts are those that the first builds kept inside the message.
	parts parts

	words words
}

// usage is a tokens object.
type usage struct {
	total, input, output, reasoning, read, write meterbridge.Count
	// wrong: a number in it is no count, so that nothing is known; odd: one is
	// none, be it the total, which is only a proof.
	wrong, odd bool
}

// failure is an error object.
type failure struct {
	name   string
	status int64
}

func (f failure) detail() string {
	if f.status > 0 {
		return fmt.Sprint(f.status)
	}
	return f.name
}

// zero reports whether no token was used, or none is reported.
func (u usage) zero() bool {
	return u.input.N == 0 && u.output.N == 0 && u.reasoning.N == 0 && u.read.N == 0 && u.write.N == 0
}

// compaction reports whether the message is the answer to a compaction.
func (m *message) compaction() bool {
	return m.summary || m.mode == "compaction" || m.agent == "compaction"
}

// cutOff reports whether the answer was interrupted, by a person, an error or
// the end of the program; an answer that used up its length is whole.
func (m *message) cutOff() bool {
	if m.failure.name == "MessageOutputLengthError" {
		return false
	}
	return m.failure.name != "" || m.completed == 0
}

// end is when the answer ended, as far as is known.
func (m *message) end(otherwise int64) time.Time {
	switch {
	case m.completed > 0:
		return millis(m.completed)
	case otherwise > m.created:
		return millis(otherwise)
	}
	return millis(m.created)
}

// millis turns epoch milliseconds into a time; 0 is no time.
func millis(ms int64) time.Time {
	if ms <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// document stands before the object in data, its byte order mark left off.
func document(data []byte) walk.Cursor {
	return walk.Over(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
}

// eachMember calls f with the cursor before each member's value. f reads the
// value with a call that consumes it, or returns false to have it skipped. A
// value that is no object is skipped whole.
func eachMember(c *walk.Cursor, f func(key string) bool) { c.Each(f) }
