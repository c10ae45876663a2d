package pricing

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// open ends of an interval, in Unix seconds.
const (
	always = math.MinInt64
	never  = math.MaxInt64
)

// interval is a rate with the time in which it is valid: [from, to), in Unix
// seconds.
type interval struct {
	from, to  int64
	base      partial
	sheet     sheet
	tiers     []tier
	modes     []mode
	windows   []window
	scheduled bool
	source    string
	seen      string
}

// tier holds for the whole request when its prompt is above the threshold.
type tier struct {
	above int64
	part  partial
	sheet sheet
}

// mode is a service mode with a price of its own, until to.
type mode struct {
	name  string
	to    int64
	part  partial
	sheet sheet
}

// window holds in some minutes of the UTC day, on some days of the week.
type window struct {
	// minutes are half-open ranges of the day's minutes.
	minutes [][2]int
	// days has bit n set for time.Weekday n; 0 is every day.
	days uint8
	part partial
}

var (
	errClasses = errors.New("input and output are needed")
	errOrder   = errors.New("intervals must be contiguous and in order")
	errTime    = errors.New("not a date or a time")
)

func newInterval(w wireRate) (interval, error) {
	iv := interval{base: w.given(), scheduled: w.Scheduled, source: w.Src, seen: w.Seen}
	iv.sheet = iv.base.settle()
	if !iv.base.given.has(input) || !iv.base.given.has(output) {
		return iv, errClasses
	}
	var err error
	if iv.from, err = bound(w.From, always); err != nil {
		return iv, err
	}
	if iv.to, err = bound(w.To, never); err != nil {
		return iv, err
	}
	for _, t := range w.Tiers {
		iv.addTier(t.Above, t.given())
	}
	for name, m := range w.Modes {
		if err := iv.addMode(name, m); err != nil {
			return iv, err
		}
	}
	slices.SortFunc(iv.modes, func(a, b mode) int { return strings.Compare(a.name, b.name) })
	for _, x := range w.Windows {
		win, err := newWindow(x)
		if err != nil {
			return iv, err
		}
		iv.windows = append(iv.windows, win)
	}
	return iv, nil
}

func (iv *interval) addTier(above int64, part partial) {
	iv.tiers = append(iv.tiers, tier{above: above, part: part, sheet: part.over(iv.base).settle()})
}

func (iv *interval) addMode(name string, w wireMode) error {
	m := mode{name: name, part: w.given()}
	m.sheet = m.part.settle()
	if !m.part.given.has(input) || !m.part.given.has(output) {
		return fmt.Errorf("mode %s: %w", name, errClasses)
	}
	var err error
	if m.to, err = bound(w.To, never); err != nil {
		return fmt.Errorf("mode %s: %w", name, err)
	}
	iv.modes = append(iv.modes, m)
	return nil
}

func newWindow(w wireWindow) (window, error) {
	win := window{part: w.given()}
	for _, r := range w.UTC {
		from, err := minuteOfDay(r[0])
		if err != nil {
			return win, err
		}
		to, err := minuteOfDay(r[1])
		if err != nil {
			return win, err
		}
		if from >= to {
			return win, fmt.Errorf("window %s to %s is empty", r[0], r[1])
		}
		win.minutes = append(win.minutes, [2]int{from, to})
	}
	for _, d := range w.Days {
		if d < 1 || d > 7 {
			return win, fmt.Errorf("window: day %d of the week", d)
		}
		win.days |= 1 << (d % 7)
	}
	return win, nil
}

// minuteOfDay reads "HH:MM", up to 24:00.
func minuteOfDay(text string) (int, error) {
	hour, minute, ok := strings.Cut(text, ":")
	h, err1 := strconv.Atoi(hour)
	m, err2 := strconv.Atoi(minute)
	if !ok || err1 != nil || err2 != nil || h < 0 || m < 0 || m > 59 || h*60+m > 24*60 {
		return 0, fmt.Errorf("%w: %q", errTime, text)
	}
	return h*60 + m, nil
}

// bound reads a date (its start in UTC) or an instant; open stands for no text.
func bound(text string, open int64) (int64, error) {
	if text == "" {
		return open, nil
	}
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		return t.Unix(), nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || t.Nanosecond() != 0 {
		return 0, fmt.Errorf("%w: %.40q", errTime, text)
	}
	return t.Unix(), nil
}

// boundText is the inverse of bound; "" for an open end.
func boundText(sec int64) string {
	if sec == always || sec == never {
		return ""
	}
	t := time.Unix(sec, 0).UTC()
	if sec%86400 == 0 {
		return t.Format(time.DateOnly)
	}
	return t.Format(time.RFC3339)
}

// inOrder checks that the intervals follow each other without a gap.
func inOrder(list []interval) error {
	for i, iv := range list {
		if iv.from >= iv.to || i > 0 && iv.from != list[i-1].to {
			return fmt.Errorf("%w: the one from %q", errOrder, boundText(iv.from))
		}
	}
	return nil
}

// intervalAt is the interval that holds at sec. Before the first one, the first
// is returned and early is true; ok is false behind the last one.
func intervalAt(list []interval, sec int64) (iv *interval, early, ok bool) {
	for i := range list {
		if sec < list[i].to {
			return &list[i], sec < list[i].from, true
		}
	}
	return nil, false, false
}

// tierOf is the tier of a prompt; nil below all of them.
func (iv *interval) tierOf(prompt int64) *tier {
	for i := len(iv.tiers) - 1; i >= 0; i-- {
		if prompt > iv.tiers[i].above {
			return &iv.tiers[i]
		}
	}
	return nil
}

// modeOf is the mode of that name that is offered at sec; nil without one.
func (iv *interval) modeOf(name string, sec int64) *mode {
	for i := range iv.modes {
		if iv.modes[i].name == name && sec < iv.modes[i].to {
			return &iv.modes[i]
		}
	}
	return nil
}

// windowAt is the first window that holds at sec; nil outside of all.
func (iv *interval) windowAt(sec int64) *window {
	for i := range iv.windows {
		if iv.windows[i].holds(sec) {
			return &iv.windows[i]
		}
	}
	return nil
}

func (w *window) holds(sec int64) bool {
	const day = 86400
	days, rest := sec/day, sec%day
	if rest < 0 {
		days, rest = days-1, rest+day
	}
	// 1970-01-01 was a Thursday.
	weekday := ((days+int64(time.Thursday))%7 + 7) % 7
	if w.days != 0 && w.days&(1<<weekday) == 0 {
		return false
	}
	minute := int(rest / 60)
	for _, r := range w.minutes {
		if minute >= r[0] && minute < r[1] {
			return true
		}
	}
	return false
}
