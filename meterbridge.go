// Package meterbridge is the domain: the words of the meter and the bridge as
// types, and the few laws that hold between them (exact money, one request one
// row). It does no I/O and imports nothing of the project and nothing outside
// the standard library; every other package speaks in these types.
package meterbridge

import "crypto/sha256"

// ID is the 128-bit identity of a request: a hash of (harness, store, native
// id). It never depends on tokens, time, price or the path of a log, so a
// copied, moved, archived or compressed store yields the same IDs.
type ID [16]byte

// NewID derives the identity of a request. store is the name space that the
// harness declares for its native ids ("transcripts", "messages", ...).
func NewID(harness, store, nativeID string) ID {
	b := make([]byte, 0, 160)
	b = append(b, harness...)
	b = append(b, 0)
	b = append(b, store...)
	b = append(b, 0)
	b = append(b, nativeID...)
	sum := sha256.Sum256(b)
	return ID(sum[:16])
}
