package scanner

import "context"

// buffer is a worker's memory for lines. It grows for one long line at a time;
// of the giant ones only one is in memory in the whole scan.
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

// grow makes room for size bytes and keeps the first held ones.
func (b *buffer) grow(ctx context.Context, size, held int) error {
	if size > keepLen && !b.holds {
		select {
		case b.giant <- struct{}{}:
			b.holds = true
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	grown := make([]byte, size)
	copy(grown, b.b[:held])
	b.b = grown
	return nil
}

// trim gives a giant buffer back when the first held bytes fit into the small one.
func (b *buffer) trim(held int) {
	if held >= len(b.small) || len(b.b) <= keepLen {
		return
	}
	copy(b.small, b.b[:held])
	b.b = b.small
	if b.holds {
		<-b.giant
		b.holds = false
	}
}
