package pricing

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"strings"
	"sync"
)

// packed is the snapshot that every binary carries; table/README.md says how it
// is made.
//
//go:embed table/prices.json.gz
var packed []byte

// Embedded is the table inside the program: the floor, when no other is installed.
func Embedded() *Table {
	return newTable(embeddedHead(), sync.OnceValue(func() *document {
		d, err := split(embeddedData())
		if err != nil {
			// A test reads the embedded table; a binary cannot hold a bad one.
			return &document{}
		}
		return d
	}))
}

// embeddedHead reads the version from the gzip header, without unpacking.
func embeddedHead() head {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return head{}
	}
	version, asOf, _ := strings.Cut(r.Comment, " ")
	return head{Version: version, AsOf: asOf}
}

func embeddedData() []byte {
	data, err := unpack(packed, maxUnpacked)
	if err != nil {
		return nil
	}
	return data
}

// maxUnpacked bounds a price table in memory.
const maxUnpacked = 64 << 20

// unpack decompresses gzip data of at most limit bytes.
func unpack(data []byte, limit int64) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("unpack price table: %w", err)
	}
	var out bytes.Buffer
	out.Grow(min(11*len(data), int(limit)))
	n, err := io.Copy(&out, io.LimitReader(r, limit+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("unpack price table: %w", err)
	case n > limit:
		return nil, fmt.Errorf("%w: larger than %d bytes", ErrTable, limit)
	}
	return out.Bytes(), nil
}
