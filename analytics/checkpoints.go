package analytics

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"meterbridge"
)

// Checkpoints are those of all sources, without State. It is asked at every
// start, for many thousands, so a checkpoint is one packed value beside its path.
func (l *Ledger) Checkpoints(ctx context.Context) ([]meterbridge.Checkpoint, error) {
	l.write.Lock()
	defer l.write.Unlock()
	var list []meterbridge.Checkpoint
	err := l.raw(func(c driver.Conn) error {
		rows, err := c.(driver.QueryerContext).QueryContext(ctx, "SELECT path, packed FROM source", nil)
		if err != nil {
			return err
		}
		defer rows.Close()
		list, err = readCheckpoints(rows)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read checkpoints: %w", err)
	}
	return list, nil
}

// readCheckpoints reads the driver's rows as they come.
func readCheckpoints(rows driver.Rows) ([]meterbridge.Checkpoint, error) {
	var list []meterbridge.Checkpoint
	u := unpacker{words: map[string]string{}}
	v := make([]driver.Value, 2)
	for {
		if err := rows.Next(v); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, err
		}
		u.b, _ = v[1].([]byte)
		cp := u.checkpoint()
		if cp.Path, _ = v[0].(string); u.failed {
			return nil, fmt.Errorf("%s: %w", cp.Path, errPacked)
		}
		list = append(list, cp)
	}
}

// errPacked: the ledger was written by something else.
var errPacked = errors.New("not a checkpoint")

// pack writes a checkpoint as numbers of variable length, then its texts.
func pack(source int64, cp *meterbridge.Checkpoint) []byte {
	b := make([]byte, 0, 128)
	gone := int64(0)
	if cp.Gone {
		gone = 1
	}
	for _, n := range [...]int64{source, cp.Size, nanos(cp.ModTime), cp.Offset, cp.Lines, cp.HeadLen, int64(cp.Parser), cp.Generation, gone} {
		b = binary.AppendVarint(b, n)
	}
	for _, n := range [...]uint64{cp.Device, cp.Inode, cp.Companion, cp.Head, cp.Tail} {
		b = binary.AppendUvarint(b, n)
	}
	for _, s := range [...]string{cp.Harness, cp.Kind, cp.Machine} {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	return b
}

// unpacker reads what pack wrote.
type unpacker struct {
	b      []byte
	failed bool
	// words holds each text once: harnesses and kinds repeat in every source.
	words map[string]string
}

func (u *unpacker) checkpoint() meterbridge.Checkpoint {
	cp := meterbridge.Checkpoint{Source: u.int(), Size: u.int()}
	cp.ModTime = fromNano(u.int())
	cp.Offset, cp.Lines, cp.HeadLen, cp.Parser, cp.Generation = u.int(), u.int(), u.int(), int(u.int()), u.int()
	cp.Gone = u.int() == 1
	cp.Device, cp.Inode, cp.Companion, cp.Head, cp.Tail = u.uint(), u.uint(), u.uint(), u.uint(), u.uint()
	cp.Harness, cp.Kind, cp.Machine = u.text(), u.text(), u.text()
	return cp
}

func (u *unpacker) int() int64 {
	n, size := binary.Varint(u.b)
	u.skip(size)
	return n
}

func (u *unpacker) uint() uint64 {
	n, size := binary.Uvarint(u.b)
	u.skip(size)
	return n
}

func (u *unpacker) skip(size int) {
	if size <= 0 || size > len(u.b) {
		u.b, u.failed = nil, true
		return
	}
	u.b = u.b[size:]
}

func (u *unpacker) text() string {
	n := u.uint()
	if n > uint64(len(u.b)) {
		u.failed = true
		return ""
	}
	raw := u.b[:n]
	u.b = u.b[n:]
	s, ok := u.words[string(raw)]
	if !ok {
		s = string(raw)
		u.words[s] = s
	}
	return s
}

// State is the parser's memory of a source at its checkpoint; nil when it has none.
func (l *Ledger) State(ctx context.Context, source int64) ([]byte, error) {
	l.write.Lock()
	defer l.write.Unlock()
	var state []byte
	err := l.w.QueryRowContext(ctx, "SELECT state FROM source WHERE id = ?", source).Scan(&state)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the state of source %d: %w", source, err)
	}
	return state, nil
}
