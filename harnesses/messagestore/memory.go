package messagestore

import "encoding/json"

// pendingLimit bounds the messages that are looked at again because they were
// not finished; more than that do not run at once.
const pendingLimit = 500

// memory is what a reader of a database keeps from one reading to the next. A
// message is read again when it was written after Updated (less the overlap),
// when it is new by its row, or when it was not finished.
type memory struct {
	Updated  int64    `json:"updated"`
	Row      int64    `json:"row"`
	Pending  []string `json:"pending,omitempty"`
	Sessions int64    `json:"sessions"`
	// Pass is the pass that was stopped in the middle; nil between passes.
	Pass *pass `json:"pass,omitempty"`
}

// pass is how far one pass over the messages has come.
type pass struct {
	// Schema changes when the rows may have moved.
	Schema int64 `json:"schema"`
	Whole  bool  `json:"whole,omitempty"`
	After  int64 `json:"after"`

	Updated int64    `json:"updated"`
	Pending []string `json:"pending,omitempty"`
}

// memoryOf reads a state; what cannot be read is a fresh start.
func memoryOf(state []byte) memory {
	var m memory
	if json.Unmarshal(state, &m) != nil {
		return memory{}
	}
	return m
}

// begin starts a pass or goes on with one. greatest is the last row there is:
// when rows were taken away at the end, new ones may lie below what was read,
// and everything is read.
func (m *memory) begin(schema, greatest int64) {
	if m.Pass != nil && m.Pass.Schema == schema {
		return
	}
	m.Pass = &pass{Schema: schema, Whole: m.Updated == 0 || greatest < m.Row}
}

// see notes a row that is read.
func (m *memory) see(rowid, updated int64, r *message) {
	p := m.Pass
	p.After, p.Updated = rowid, max(p.Updated, updated)
	if r.role == "assistant" && r.completed == 0 && r.failure.name == "" && len(p.Pending) < pendingLimit {
		p.Pending = append(p.Pending, r.id)
	}
}

// told reports whether an earlier pass has read the row as it is, so that what is
// wrong with it was named: the newest rows are read again at each look.
func (m *memory) told(rowid, updated int64) bool {
	return !m.Pass.Whole && rowid <= m.Row && updated <= m.Updated
}

// finish ends a pass.
func (m *memory) finish() {
	p := m.Pass
	m.Updated = max(m.Updated, p.Updated)
	m.Row, m.Pending, m.Pass = max(m.Row, p.After), p.Pending, nil
	if p.Whole {
		m.Row = p.After
	}
}

// pending lists the unfinished messages as JSON.
func (m *memory) pending() string {
	list, err := json.Marshal(m.Pending)
	if err != nil || m.Pending == nil {
		return "[]"
	}
	return string(list)
}
