package main

import (
	"io"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// bars draws one bar per harness while logs are read. A scan that is over at
// once shows none: bars appear with the first harness that has much to read.
type bars struct {
	out io.Writer

	mu   sync.Mutex
	pool *mpb.Progress
	bar  map[string]*mpb.Bar
}

// worthABar is the number of bytes below which a harness is read in a blink.
const worthABar = 16 << 20

func newBars(out io.Writer) *bars { return &bars{out: out, bar: map[string]*mpb.Bar{}} }

// Start implements daemon.Progress.
func (b *bars) Start(harness string, files int, bytes int64) {
	if files == 0 || bytes < worthABar {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pool == nil {
		b.pool = mpb.New(mpb.WithOutput(b.out), mpb.WithRefreshRate(100*time.Millisecond), mpb.WithWidth(40))
	}
	b.bar[harness] = b.pool.AddBar(
		bytes,
		mpb.PrependDecorators(decor.Name(harness, decor.WCSyncSpaceR), decor.CountersKiloByte("% .1f / % .1f", decor.WCSyncSpace)),
		mpb.AppendDecorators(decor.Percentage(decor.WCSyncSpace), decor.AverageSpeed(decor.SizeB1000(0), " % .0f", decor.WCSyncSpace)),
	)
}

// Add implements daemon.Progress.
func (b *bars) Add(harness string, _ int, bytes int64) {
	b.mu.Lock()
	bar := b.bar[harness]
	b.mu.Unlock()
	if bar != nil {
		bar.IncrInt64(bytes)
	}
}

// Done implements daemon.Progress.
func (b *bars) Done() { b.stop() }

// stop ends the drawing, also when the scan was cut short.
func (b *bars) stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pool == nil {
		return
	}
	for _, bar := range b.bar {
		bar.SetTotal(-1, true)
	}
	b.pool.Wait()
	b.pool, b.bar = nil, map[string]*mpb.Bar{}
}
