package openclaw

import (
	"encoding/json"
	"slices"

	"github.com/klauspost/compress/zstd"
)

const (
	// maxEvent and maxArchive bound what an event and a transcript unpack to; the
	// first is the program's own limit.
	maxEvent, maxArchive = 4 << 20, 64 << 20
	// zstdMagic is how a Zstandard frame begins.
	zstdMagic = "\x28\xb5\x2f\xfd"
	// memories is of how many sessions the parser's memory is kept: another one
	// that goes on is read from its start, which ids make harmless.
	memories = 64
)

// memory is what must be known of the last reading.
type memory struct {
	Sessions map[string]cursor `json:"sessions"`
	Archives []string          `json:"archives,omitempty"`
	// Recent are the sessions whose memory is kept, the newest last.
	Recent []string `json:"recent,omitempty"`
}

// cursor is how far a session was read.
type cursor struct {
	// Seq is the number of the event after the last one.
	Seq        int64           `json:"seq"`
	Generation int64           `json:"gen,omitempty"`
	Window     uint64          `json:"window,omitempty"`
	Memory     json.RawMessage `json:"memory,omitempty"`
}

func remember(state []byte) memory {
	var m memory
	if len(state) == 0 || json.Unmarshal(state, &m) != nil || m.Sessions == nil {
		return memory{Sessions: map[string]cursor{}}
	}
	return m
}

func (m *memory) bytes() []byte {
	b, err := json.Marshal(m)
	if err != nil {
		return nil
	}
	return b
}

// keep notes how far a session was read.
func (m *memory) keep(session string, c cursor) {
	m.Recent = append(slices.DeleteFunc(m.Recent, func(s string) bool { return s == session }), session)
	m.Sessions[session] = c
	for len(m.Recent) > memories {
		old := m.Sessions[m.Recent[0]]
		old.Memory = nil
		m.Sessions[m.Recent[0]] = old
		m.Recent = m.Recent[1:]
	}
}

// archived reports whether an archive was read before, and notes that it was.
func (m *memory) archived(key string) bool {
	if slices.Contains(m.Archives, key) {
		return true
	}
	m.Archives = append(m.Archives, key)
	return false
}

// unpack decompresses one frame of at most limit bytes.
func unpack(packed []byte, limit uint64) ([]byte, error) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(limit))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.DecodeAll(packed, nil)
}
