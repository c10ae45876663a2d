package corpus

import (
	"math/rand/v2"
	"sort"
	"strconv"
	"strings"
)

// pool is JSON-escaped text; cuts are offsets where it is safe to cut.
type pool struct {
	b    []byte
	cuts []int
}

func words() []string {
	return strings.Fields(`func return err nil if else for range type struct interface package import const var string int error
context request response handler server client config path file open close read write buffer parse decode encode token usage session
model cache input output total count index value key map slice append len cap make new test assert expect result status code message
the a of to and in is that it with as on be at by this from or an are not can will which one all there when up use how your said each
refactor migrate deploy build lint format compile schema query select insert update delete where join group order limit offset`)
}

func makePool(r *rand.Rand, n int) *pool {
	words := words()
	p := &pool{b: make([]byte, 0, n+256)}
	col := 0
	for len(p.b) < n {
		if col == 0 {
			p.cuts = append(p.cuts, len(p.b))
			p.indent(r)
		}
		w := words[r.IntN(len(words))]
		p.b = append(p.b, w...)
		col += len(w) + 1
		p.between(r, words)
		if col > 40+r.IntN(60) {
			p.b = append(p.b, `\n`...)
			col = 0
		}
	}
	p.cuts = append(p.cuts, len(p.b))
	return p
}

// indent begins a line.
func (p *pool) indent(r *rand.Rand) {
	switch r.IntN(6) {
	case 0:
		p.b = append(p.b, `    `...)
	case 1:
		p.b = append(p.b, `\t\t`...)
	case 2:
		p.b = append(p.b, `\t`...)
	case 3:
		p.b = append(p.b, strconv.Itoa(r.IntN(900)+1)...)
		p.b = append(p.b, `\t`...)
	}
}

// between writes what stands between two words.
func (p *pool) between(r *rand.Rand, words []string) {
	word := func() string { return words[r.IntN(len(words))] }
	switch k := r.IntN(100); {
	case k < 60:
		p.b = append(p.b, ' ')
	case k < 68:
		p.b = append(p.b, `(`+word()+`) `...)
	case k < 74:
		p.b = append(p.b, `: \"`+word()+`\", `...)
	case k < 80:
		p.b = append(p.b, ` := `+strconv.Itoa(r.IntN(100000))+` `...)
	case k < 84:
		p.b = append(p.b, ` { `...)
	case k < 88:
		p.b = append(p.b, ` } `...)
	case k < 90:
		p.b = append(p.b, `/`...)
	case k < 91:
		p.b = append(p.b, ` é → 日本 `...)
	case k < 92:
		p.b = append(p.b, `\\n`...)
	case k == 92 && r.IntN(12) == 0:
		// the marker, escaped: a tool result that shows a log
		p.b = append(p.b, `{\"type\":\"assistant\",\"message\":{\"usage\":{\"input_tokens\":12345,\"output_tokens\":678}}} `...)
	case k == 93 && r.IntN(12) == 0:
		p.b = append(p.b, `\u001b[32mok\u001b[0m `...)
	default:
		p.b = append(p.b, ',', ' ')
	}
}

// text returns about n bytes of escaped text (whole pool lines).
func (p *pool) text(r *rand.Rand, n int) []byte {
	if n <= 0 {
		return nil
	}
	if n > len(p.b)*3/4 {
		n = len(p.b) * 3 / 4
	}
	lim := sort.SearchInts(p.cuts, len(p.b)-n)
	if lim < 1 {
		lim = 1
	}
	i := r.IntN(lim)
	j := sort.SearchInts(p.cuts, p.cuts[i]+n)
	if j >= len(p.cuts) {
		j = len(p.cuts) - 1
	}
	return p.b[p.cuts[i]:p.cuts[j]]
}

const b64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

func (g *gen) base64(n int) []byte {
	if n > len(g.b64) {
		n = len(g.b64)
	}
	o := g.r.IntN(len(g.b64) - n + 1)
	return g.b64[o : o+n]
}

func (g *gen) word() string {
	list := words()
	return list[g.r.IntN(len(list))]
}
