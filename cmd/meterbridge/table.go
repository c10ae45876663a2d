package main

import (
	"fmt"
	"io"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
	"github.com/charmbracelet/x/ansi"
)

// column is one column of a grid.
type column struct {
	name  string
	right bool
	// drop orders what goes first on a narrow terminal: the highest, never 0.
	drop int
	// shrink: the text may be cut to fit.
	shrink bool
}

// grid is a table for people.
type grid struct {
	columns []column
	rows    [][]string
	// foot is the row of totals, nil without one.
	foot []string
}

const (
	// minShrunk is the narrowest that a column is cut to.
	minShrunk = 14
	// maxShrunk is the widest that a column may be which may be cut.
	maxShrunk = 72
)

// print draws the grid so that it fits width columns; 0 means no terminal, so
// no limit but for texts that may be cut.
func (g grid) print(out io.Writer, width int, colour bool) error {
	g = g.fit(width)
	bold, dim := lipgloss.NewStyle().Padding(0, 1), lipgloss.NewStyle()
	if colour {
		bold, dim = bold.Bold(true), dim.Faint(true)
	}
	t := table.New().Border(lipgloss.RoundedBorder()).BorderStyle(dim).
		StyleFunc(func(row, col int) lipgloss.Style {
			s := lipgloss.NewStyle().Padding(0, 1)
			if row == table.HeaderRow || (g.foot != nil && row == len(g.rows)) {
				s = bold
			}
			if g.columns[col].right {
				s = s.Align(lipgloss.Right)
			}
			return s
		})
	head := make([]string, len(g.columns))
	for i, c := range g.columns {
		head[i] = c.name
	}
	t.Headers(head...).Rows(g.rows...)
	if g.foot != nil {
		t.Row(g.foot...)
	}
	_, err := fmt.Fprintln(out, t.Render())
	return err
}

// fit drops and then cuts columns until the grid is no wider than width.
func (g grid) fit(width int) grid {
	for _, row := range g.lines() {
		for i, c := range g.columns {
			if row[i] = plain(row[i]); c.shrink {
				row[i] = shorten(row[i], maxShrunk)
			}
		}
	}
	if width <= 0 {
		return g
	}
	for g.width() > width {
		if at := g.mostDroppable(); at >= 0 {
			g = g.without(at)
			continue
		}
		break
	}
	if over := g.width() - width; over > 0 {
		g = g.cut(over)
	}
	return g
}

func (g grid) lines() [][]string {
	all := append([][]string{}, g.rows...)
	if g.foot != nil {
		all = append(all, g.foot)
	}
	return all
}

func (g grid) columnWidth(i int) int {
	w := lipgloss.Width(g.columns[i].name)
	for _, row := range g.lines() {
		w = max(w, lipgloss.Width(row[i]))
	}
	return w
}

// width is the drawn width: text, one blank on each side, and the borders.
func (g grid) width() int {
	sum := 1
	for i := range g.columns {
		sum += g.columnWidth(i) + 3
	}
	return sum
}

func (g grid) mostDroppable() int {
	best, at := 0, -1
	for i, c := range g.columns {
		if c.drop > best {
			best, at = c.drop, i
		}
	}
	return at
}

func (g grid) without(at int) grid {
	n := grid{columns: omit(g.columns, at)}
	for _, row := range g.rows {
		n.rows = append(n.rows, omit(row, at))
	}
	if g.foot != nil {
		n.foot = omit(g.foot, at)
	}
	return n
}

func omit[T any](list []T, at int) []T {
	return append(append([]T{}, list[:at]...), list[at+1:]...)
}

// cut shortens the columns that may shrink, the widest first, by over columns.
func (g grid) cut(over int) grid {
	for over > 0 {
		widest, at := minShrunk, -1
		for i, c := range g.columns {
			if w := g.columnWidth(i); c.shrink && w > widest {
				widest, at = w, i
			}
		}
		if at < 0 {
			return g
		}
		to := max(minShrunk, widest-over)
		over -= widest - to
		for _, row := range g.lines() {
			row[at] = shorten(row[at], to)
		}
	}
	return g
}

// shorten cuts text to n columns, the end replaced by an ellipsis.
func shorten(text string, n int) string { return ansi.Truncate(text, n, "…") }
