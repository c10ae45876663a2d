package corpus

import (
	"bufio"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

type gen struct {
	r      *rand.Rand
	p      *pool
	b64    []byte
	out    string
	start  time.Time
	days   int
	within time.Duration
	last   Tok       // of the usage line being written
	at     time.Time // timestamp of that line
}

func (g *gen) lognorm(median, sigma float64, lo, hi int) int {
	v := int(median * math.Exp(sigma*g.r.NormFloat64()))
	return min(max(v, lo), hi)
}

func (g *gen) hex(n int) string {
	const h = "0123456789abcdef"
	b := make([]byte, n)
	for i := range b {
		b[i] = h[g.r.IntN(16)]
	}
	return string(b)
}

func (g *gen) uuid() string {
	s := g.hex(32)
	return s[:8] + "-" + s[8:12] + "-4" + s[13:16] + "-a" + s[17:20] + "-" + s[20:]
}

func (g *gen) id(prefix string, n int) string {
	const h = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	b := make([]byte, n)
	for i := range b {
		b[i] = h[g.r.IntN(len(h))]
	}
	return prefix + string(b)
}

// sessionStart is skewed to working hours and to the recent past.
func (g *gen) sessionStart() time.Time {
	f := math.Sqrt(g.r.Float64())
	d := int(f * float64(g.days))
	if d >= g.days {
		d = g.days - 1
	}
	sec := 8*3600 + int(g.r.Float64()*g.within.Seconds())
	return g.start.AddDate(0, 0, d).Add(time.Duration(sec)*time.Second + time.Duration(g.r.IntN(1000))*time.Millisecond)
}

const iso = "2006-01-02T15:04:05.000Z"

type projInfo struct{ name, cwd, slug string }

func (g *gen) projects(n int) []projInfo {
	var ps []projInfo
	words := words()
	for i := range n {
		name := words[g.r.IntN(len(words))] + "-" + words[g.r.IntN(len(words))] + "-" + strconv.Itoa(i)
		cwd := "/home/dev/src/" + name
		ps = append(ps, projInfo{name, cwd, strings.ReplaceAll(cwd, "/", "-")})
	}
	return ps
}

// lw writes lines to a file and counts them.
type lw struct {
	f *os.File
	w *bufio.Writer
	h *Part
}

func (h *Part) create(path string) *lw {
	must(os.MkdirAll(filepath.Dir(path), 0o755))
	f, err := os.Create(path)
	must(err)
	h.Files++
	return &lw{f, bufio.NewWriterSize(f, 1<<18), h}
}

func (l *lw) line(b []byte, usage bool) {
	must2(l.w.Write(b))
	must(l.w.WriteByte('\n'))
	l.h.Lines++
	l.h.Bytes += int64(len(b)) + 1
	if usage {
		l.h.UsageLines++
		l.h.UsageBytes += int64(len(b)) + 1
	}
}

func (l *lw) raw(b []byte) {
	must2(l.w.Write(b))
	l.h.Bytes += int64(len(b))
}

// must2 is must for calls that also return a number.
func must2(_ int, err error) { must(err) }

func (l *lw) close() {
	must(l.w.Flush())
	must(l.f.Close())
}
