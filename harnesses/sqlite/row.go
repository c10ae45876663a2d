package sqlite

import (
	"database/sql/driver"
	"unsafe"
)

// Row holds the values of one row; it is overwritten by the next one, but the
// texts that its methods return stay valid.
type Row []driver.Value

// Null reports whether the value is NULL.
func (r Row) Null(i int) bool { return r[i] == nil }

// Text is a TEXT or BLOB value; empty for anything else.
func (r Row) Text(i int) string {
	switch v := r[i].(type) {
	case string:
		return v
	case []byte:
		return string(v)
	}
	return ""
}

// Bytes is a TEXT or BLOB value, not to be changed; nil for anything else.
func (r Row) Bytes(i int) []byte {
	switch v := r[i].(type) {
	case string:
		return unsafe.Slice(unsafe.StringData(v), len(v))
	case []byte:
		return v
	}
	return nil
}

// Int is an INTEGER value; ok is false for anything else, a whole REAL excepted.
func (r Row) Int(i int) (n int64, ok bool) {
	switch v := r[i].(type) {
	case int64:
		return v, true
	case float64:
		n = int64(v)
		return n, float64(n) == v
	}
	return 0, false
}

// Float is a REAL or INTEGER value; ok is false for anything else.
func (r Row) Float(i int) (f float64, ok bool) {
	switch v := r[i].(type) {
	case float64:
		return v, true
	case int64:
		return float64(v), true
	}
	return 0, false
}
