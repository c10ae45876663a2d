package totals

import "meterbridge"

// each makes tokens of two, class by class.
func each(a, b meterbridge.Tokens, f func(a, b meterbridge.Count) meterbridge.Count) meterbridge.Tokens {
	return meterbridge.Tokens{
		Input: f(a.Input, b.Input), Output: f(a.Output, b.Output), Reasoning: f(a.Reasoning, b.Reasoning),
		CacheRead: f(a.CacheRead, b.CacheRead), CacheWrite5m: f(a.CacheWrite5m, b.CacheWrite5m), CacheWrite1h: f(a.CacheWrite1h, b.CacheWrite1h),
	}
}

// over is what totals hold beyond those before; null where they report nothing.
func over(now, before meterbridge.Tokens) meterbridge.Tokens {
	return each(now, before, func(a, b meterbridge.Count) meterbridge.Count {
		if !a.OK {
			return a
		}
		return meterbridge.Reported(max(0, a.N-b.N))
	})
}

func high(a, b meterbridge.Tokens) meterbridge.Tokens {
	return each(a, b, func(a, b meterbridge.Count) meterbridge.Count {
		if !a.OK || b.N > a.N {
			return b
		}
		return a
	})
}

func plus(a, b meterbridge.Tokens) meterbridge.Tokens { return each(a, b, meterbridge.Count.Plus) }

// Covers reports whether each total is at least the other's.
func Covers(a, b meterbridge.Tokens) bool {
	covers := true
	each(a, b, func(a, b meterbridge.Count) meterbridge.Count {
		covers = covers && a.N >= b.N
		return a
	})
	return covers
}

func amount(text string) meterbridge.NullPico {
	if text == "" {
		return meterbridge.NullPico{}
	}
	p, err := meterbridge.ParseUSD(text)
	if err != nil {
		return meterbridge.NullPico{}
	}
	return meterbridge.SomePico(p)
}

func usd(p meterbridge.NullPico) string {
	if !p.OK {
		return ""
	}
	return p.Amount.String()
}

// overUSD is what an amount holds beyond another; null when it is no more.
func overUSD(now meterbridge.NullPico, before string) meterbridge.NullPico {
	was := amount(before)
	switch {
	case !now.OK, was.OK && now.Amount.Cmp(was.Amount) <= 0:
		return meterbridge.NullPico{}
	case !was.OK:
		return now
	}
	return meterbridge.SomePico(now.Amount.Add(was.Amount.Times(-1)))
}

func plusUSD(a string, b meterbridge.NullPico) string {
	was := amount(a)
	switch {
	case !b.OK:
		return a
	case !was.OK:
		return usd(b)
	}
	return was.Amount.Add(b.Amount).String()
}
