package analytics

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"

	"meterbridge"
)

const selectCheckpoints = `SELECT id, harness, kind, path, machine, device, inode, size, mtime_ns, companion,
  "offset", lines, head, head_len, tail, parser, generation, gone FROM source`

// Checkpoints are those of all sources, without State. It is asked at every
// start, for many thousands, so it reads the driver's rows as they come.
func (l *Ledger) Checkpoints(ctx context.Context) ([]meterbridge.Checkpoint, error) {
	l.write.Lock()
	defer l.write.Unlock()
	words, err := l.harnessWords(ctx)
	if err != nil {
		return nil, fmt.Errorf("read checkpoints: %w", err)
	}
	var list []meterbridge.Checkpoint
	err = l.raw(func(c driver.Conn) error {
		rows, err := c.(driver.QueryerContext).QueryContext(ctx, selectCheckpoints, nil)
		if err != nil {
			return err
		}
		defer rows.Close()
		list, err = readCheckpoints(rows, words)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read checkpoints: %w", err)
	}
	return list, nil
}

// harnessWords are the texts of the few words that name harnesses.
func (l *Ledger) harnessWords(ctx context.Context) (map[int32]string, error) {
	words := map[int32]string{}
	err := l.each(ctx, "SELECT id, text FROM word WHERE id IN (SELECT DISTINCT harness FROM source)", func(rows *sql.Rows) error {
		var id int32
		var text string
		err := rows.Scan(&id, &text)
		words[id] = text
		return err
	})
	return words, err
}

func readCheckpoints(rows driver.Rows, words map[int32]string) ([]meterbridge.Checkpoint, error) {
	var list []meterbridge.Checkpoint
	v := make([]driver.Value, len(rows.Columns()))
	for {
		if err := rows.Next(v); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, err
		}
		list = append(list, meterbridge.Checkpoint{
			Source: int64(v[0].(int32)), Harness: words[v[1].(int32)], Kind: v[2].(string), Path: v[3].(string), Machine: v[4].(string),
			Device: v[5].(uint64), Inode: v[6].(uint64), Size: v[7].(int64), ModTime: fromNano(v[8].(int64)), Companion: v[9].(uint64),
			Offset: v[10].(int64), Lines: v[11].(int64), Head: v[12].(uint64), HeadLen: v[13].(int64), Tail: v[14].(uint64),
			Parser: int(v[15].(int32)), Generation: v[16].(int64), Gone: v[17].(bool),
		})
	}
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
