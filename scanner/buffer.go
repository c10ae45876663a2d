package scanner

import "context"

// buffer is a worker's memory for lines. It grows for long lines; a giant one is
// given back at the end of the source, and only one is in memory in a scan.
type buffer struct {
	b     []byte
	small []byte
	giant chan struct{}
	holds bool
}

func newBuffer(giant chan struct{}) *buffer {
	small := make([]byte, chunkLen)
	return &buffer{b: small, small: small, giant: giant}
}

// grow makes room for at least size bytes, and for twice as many as before while
// that is what a worker keeps, and keeps the first held ones. Buffers that grew to
// just what a line needed were a third of the garbage of a first scan.
func (b *buffer) grow(ctx context.Context, size, held int) error {
	if size > keepLen && !b.holds {
		select {
		case b.giant <- struct{}{}:
			b.holds = true
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	grown := make([]byte, max(size, min(2*len(b.b), keepLen)))
	copy(grown, b.b[:held])
	b.b = grown
	return nil
}

// release gives a giant buffer back.
func (b *buffer) release() {
	if len(b.b) > keepLen {
		b.b = b.small
	}
	if b.holds {
		<-b.giant
		b.holds = false
	}
}
