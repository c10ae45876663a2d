package main

import "testing"

func TestDollars(t *testing.T) {
	for _, c := range []struct {
		micro   int64
		partial bool
		want    string
	}{
		{0, false, "$0.00"},
		{1, false, "$0.000001"},
		{225, false, "$0.000225"},
		{9_999, true, "$0.009999*"},
		{10_000, false, "$0.0100"},
		{669_233, false, "$0.6692"},
		{999_999, false, "$1.0000"},
		{1_855_000, false, "$1.86"},
		{2_235_746_670, false, "$2,235.75"},
	} {
		if got := dollars(&c.micro, c.partial); got != c.want {
			t.Errorf("%d: got %s, want %s", c.micro, got, c.want)
		}
	}
	if got := dollars(nil, true); got != notReported {
		t.Errorf("null: got %s", got)
	}
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567"} {
		if got := grouped(n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
}

func TestGrid_FitsTheTerminal(t *testing.T) {
	g := grid{
		columns: []column{{name: "Key", shrink: true}, {name: "Many", drop: 2}, {name: "More", drop: 1}, {name: "Cost", right: true}},
		rows:    [][]string{{"a very long key that has to be cut somewhere", "11111111", "2222222222", "$1.00"}},
		foot:    []string{"Total", "1", "2", "$1.00"},
	}
	for _, width := range []int{30, 40, 60, 200} {
		got := g.fit(width)
		if w := got.width(); w > width {
			t.Errorf("width %d: got %d", width, w)
		}
		if last := got.columns[len(got.columns)-1].name; last != "Cost" {
			t.Errorf("width %d: the last column is %s", width, last)
		}
	}
}
