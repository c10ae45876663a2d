package pricing

// class is a token class of a rate.
type class uint8

// The classes, in the order in which they are written everywhere.
const (
	input class = iota
	output
	cacheRead
	cacheWrite5m
	cacheWrite1h
	reasoning
	classes = 6
)

func (c class) String() string {
	return [classes]string{"input", "output", "cache_read", "cache_write_5m", "cache_write_1h", "reasoning"}[c]
}

// set of classes, one bit each.
type classSet uint8

func (s classSet) has(c class) bool { return s&(1<<c) != 0 }

// partial is the part of a rate that a source gives: pico-USD per token of the
// given classes.
type partial struct {
	pico  [classes]int64
	given classSet
}

func (p *partial) set(c class, pico int64) {
	p.pico[c] = pico
	p.given |= 1 << c
}

// over lays p over base: what p does not give stays the base's.
func (p partial) over(base partial) partial {
	for c := range class(classes) {
		if p.given.has(c) {
			base.set(c, p.pico[c])
		}
	}
	return base
}

// sheet is a full price of one request: each class has a price.
type sheet struct {
	pico [classes]int64
	// given are the classes with a price of their own; the others fell back.
	given classSet
}

// settle fills the missing classes from the next dearer one, never with 0:
// an unknown discount is no discount.
func (p partial) settle() sheet {
	s := sheet{pico: p.pico, given: p.given}
	for _, f := range [...]struct{ class, from class }{
		{cacheRead, input}, {cacheWrite5m, input}, {cacheWrite1h, cacheWrite5m}, {reasoning, output},
	} {
		if !p.given.has(f.class) {
			s.pico[f.class] = s.pico[f.from]
		}
	}
	return s
}
