// Package zstdlines reads text lines that a harness keeps as one zstd stream.
// It only unpacks: the scanner cuts the lines and calls it; it imports nothing
// of the project.
package zstdlines

import (
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// maxWindow bounds the memory of a decoder; a stream that asks for more is
// refused as broken.
const maxWindow = 32 << 20

// NewReader returns the unpacked bytes of r. The caller closes it.
func NewReader(r io.Reader) (io.ReadCloser, error) {
	d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, fmt.Errorf("open zstd stream: %w", err)
	}
	return d.IOReadCloser(), nil
}
