package codexcli

import (
	"bytes"
	"encoding/json"
	"time"

	"meterbridge/harnesses/walk"
)

// envelope is a line of a rollout, taken apart without looking into its payload.
type envelope struct {
	// typ is the raw text of "type"; nil in files without envelopes.
	typ     []byte
	payload []byte
	ms      int64
	// id and git are those of the first line of a file without envelopes.
	id, git []byte
}

// open checks a whole line and takes it apart; ok is false when it is no JSON object.
func open(line []byte) (e envelope, ok bool) {
	c := walk.Over(line)
	if !c.Object() {
		return e, false
	}
	for first := true; c.Member(&first); {
		switch string(c.Key()) {
		case "timestamp":
			raw, _ := c.Text()
			e.ms = millis(raw)
		case "type":
			e.typ, _ = c.Text()
		case "payload":
			e.payload = c.Raw()
		case "id":
			e.id, _ = c.Text()
		case "git":
			e.git = c.Raw()
		default:
			c.Skip()
		}
	}
	return e, c.End()
}

// decode takes a line apart with encoding/json, for one that open refused
// though it is valid.
func decode(line []byte) (e envelope, ok bool) {
	var m map[string]json.RawMessage
	if json.Unmarshal(line, &m) != nil || m == nil {
		return e, false
	}
	e.typ, e.id = quoted(m["type"]), quoted(m["id"])
	e.ms = millis(quoted(m["timestamp"]))
	e.payload, e.git = m["payload"], m["git"]
	return e, true
}

// member is the raw value of a member of the object in raw; nil without one.
func member(raw []byte, key string) []byte {
	c := walk.Over(raw)
	if !c.Object() {
		return nil
	}
	for first := true; c.Member(&first); {
		if string(c.Key()) == key {
			return c.Raw()
		}
		c.Skip()
	}
	return nil
}

// text is the string in a raw value, escapes resolved; empty for anything else.
func text(raw []byte) string {
	if t := quoted(raw); t != nil {
		return walk.Unquote(t, 0)
	}
	return ""
}

// quoted is what stands between the quotes of a raw string; nil for anything else.
func quoted(raw []byte) []byte {
	if len(raw) < 2 || raw[0] != '"' {
		return nil
	}
	return raw[1 : len(raw)-1]
}

// null reports whether a raw value is absent or null.
func null(raw []byte) bool { return len(raw) == 0 || string(raw) == "null" }

// glued finds the whole record at the end of a line that is broken before it:
// a write was cut off without its line end and the program went on behind it.
func glued(line []byte) []byte {
	i := bytes.LastIndex(line, []byte(`{"timestamp":`))
	if i <= 0 || !json.Valid(line[i:]) {
		return nil
	}
	return line[i:]
}

// millis reads an ISO 8601 instant; 0 when it is none, or lies before 1970: that
// is a clock that was not set.
func millis(raw []byte) int64 {
	if t, ok := plainMillis(raw); ok {
		return max(0, t)
	}
	t, err := time.Parse(time.RFC3339Nano, string(raw))
	if err != nil {
		return 0
	}
	return max(0, t.UnixMilli())
}

// plainMillis reads the form that Codex writes, 2026-11-30T11:19:24.649Z.
func plainMillis(b []byte) (int64, bool) {
	if len(b) != len("2006-01-02T15:04:05.000Z") || b[4] != '-' || b[7] != '-' || b[10] != 'T' ||
		b[13] != ':' || b[16] != ':' || b[19] != '.' || b[23] != 'Z' {
		return 0, false
	}
	y, ok1 := digits(b[0:4])
	mo, ok2 := digits(b[5:7])
	d, ok3 := digits(b[8:10])
	h, ok4 := digits(b[11:13])
	mi, ok5 := digits(b[14:16])
	s, ok6 := digits(b[17:19])
	ms, ok7 := digits(b[20:23])
	if !(ok1 && ok2 && ok3 && ok4 && ok5 && ok6 && ok7) || mo < 1 || mo > 12 || d < 1 || d > 28 || h > 23 || mi > 59 || s > 59 {
		return 0, false // the ends of months are left to the slow reader
	}
	return (((days(y, mo, d)*24+h)*60+mi)*60+s)*1000 + ms, true
}

// days counts from 1970-01-01: years begin in March, so that a leap day is the last.
func days(y, mo, d int64) int64 {
	if mo <= 2 {
		y, mo = y-1, mo+12
	}
	return 365*y + y/4 - y/100 + y/400 + (153*(mo-3)+2)/5 + d - 1 - 719468
}

func digits(b []byte) (n int64, ok bool) {
	ok = true
	for _, c := range b {
		ok = ok && c-'0' <= 9
		n = n*10 + int64(c-'0')
	}
	return n, ok
}

// idMillis is the time inside a version 7 UUID; 0 for other ids.
func idMillis(uuid string) int64 {
	if len(uuid) != 36 || uuid[8] != '-' || uuid[13] != '-' || uuid[14] != '7' {
		return 0
	}
	var ms int64
	for i := 0; i < 13; i++ {
		if i == 8 {
			continue
		}
		v := hex(uuid[i])
		if v < 0 {
			return 0
		}
		ms = ms<<4 | v
	}
	return ms
}

func hex(c byte) int64 {
	switch {
	case c >= '0' && c <= '9':
		return int64(c - '0')
	case c >= 'a' && c <= 'f':
		return int64(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int64(c-'A') + 10
	}
	return -1
}
