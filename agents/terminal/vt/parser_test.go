package vt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// parts writes down what a handler gets.
type parts struct{ all []string }

func (p *parts) Text(b []byte) {
	if n := len(p.all); n > 0 && strings.HasPrefix(p.all[n-1], "text ") {
		p.all[n-1] += string(b)
		return
	}
	p.all = append(p.all, "text "+string(b))
}

func (p *parts) Control(c byte) { p.all = append(p.all, fmt.Sprintf("control %d", c)) }

func (p *parts) Sequence(s *Sequence) {
	line := fmt.Sprintf("sequence csi=%v %q %q %q", s.CSI, s.Prefix, s.Intermediate, s.Final)
	for i := range s.Len() {
		line += fmt.Sprintf(" %d", s.Param(i, -1))
		if s.Sub(i) {
			line += ":"
		}
	}
	p.all = append(p.all, line)
}

func (p *parts) String(kind byte, data []byte) {
	p.all = append(p.all, fmt.Sprintf("string %c %d %.20q", kind, len(data), data))
}

func TestParser_Parts(t *testing.T) {
	long := strings.Repeat("x", MaxString)
	for _, c := range []struct {
		in   string
		want []string
	}{
		{"aé日\r\n", []string{"text aé日", "control 13", "control 10"}},
		{"\x1b[1;;38:5m", []string{`sequence csi=true '\x00' '\x00' 'm' 1 -1 38 5:`}},
		{"\x1b[m", []string{`sequence csi=true '\x00' '\x00' 'm'`}},
		{"\x1b[?2004h\x1b[!p\x1b[?1$p", []string{
			`sequence csi=true '?' '\x00' 'h' 2004`, `sequence csi=true '\x00' '!' 'p'`, `sequence csi=true '?' '$' 'p' 1`,
		}},
		{"\x1b7\x1b(0\x1b#8", []string{
			`sequence csi=false '\x00' '\x00' '7'`, `sequence csi=false '\x00' '(' '0'`, `sequence csi=false '\x00' '#' '8'`,
		}},
		{"\x1b]0;a\a\x1b]2;b\x1b\\\x1bPc\ad\x1b\\", []string{`string ] 3 "0;a"`, `string ] 3 "2;b"`, `string P 3 "c\ad"`}},
		{"\x1b]0;a\x18b", []string{"text b"}},
		{"\x1b]0;a\x1b[A", []string{`sequence csi=true '\x00' '\x00' 'A'`}},
		{"\x1b]" + long + "\a", []string{fmt.Sprintf(`string ] %d %.20q`, MaxString, long)}},
		{"\x1b]" + long + "x\ab", []string{"text b"}},
		{"\x1b[99999999999999999999A", []string{`sequence csi=true '\x00' '\x00' 'A' 65535`}},
		{"\x1b[" + strings.Repeat("1;", 40) + "5A", []string{`sequence csi=true '\x00' '\x00' 'A'` + strings.Repeat(" 1", 32)}},
		{"\x1b[1?A\x1b[é;1Ab", []string{"text b"}},
		{"\x1b[1\nA", []string{"control 10", `sequence csi=true '\x00' '\x00' 'A' 1`}},
		{"\xe6\x97", nil}, // the rest may come
		{"\xe6\x97a", []string{"text \xe6\x97a"}},
		{"a\x7fb", []string{"text ab"}},
	} {
		for size := 1; size <= 4; size++ {
			var p Parser
			var got parts
			for rest := []byte(c.in); len(rest) > 0; {
				n := min(size, len(rest))
				if size == 4 {
					n = len(rest)
				}
				p.Feed(rest[:n], &got)
				rest = rest[n:]
			}
			if diff := cmp.Diff(c.want, got.all); diff != "" {
				t.Errorf("%.40q in chunks of %d (-want +got):\n%s", c.in, size, diff)
			}
		}
	}
}
