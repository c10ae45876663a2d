package analytics

import (
	"context"
	"database/sql"
	"strings"
	"unicode/utf8"
)

// words is the dictionary: texts that repeat have numbers from 1 on, 0 is the
// empty text. texts[n] is the text of the number n.
type words struct {
	ids   map[string]int32
	texts []string
	// stored is how many of texts the ledger has.
	stored int
}

func noWords() words { return words{ids: map[string]int32{"": 0}, texts: []string{""}, stored: 1} }

func (l *Ledger) loadWords(ctx context.Context, m *memory) error {
	m.words = noWords()
	err := l.each(ctx, "SELECT text FROM word ORDER BY id", func(rows *sql.Rows) error {
		var text string
		err := rows.Scan(&text)
		m.words.id(text)
		return err
	})
	m.words.stored = len(m.words.texts)
	return err
}

// id is the number of text, a new one when it has none.
func (w *words) id(text string) int32 {
	if n, ok := w.ids[text]; ok {
		return n
	}
	raw, text := strings.Clone(text), valid(text)
	n, known := w.ids[text]
	if !known {
		text = strings.Clone(text)
		n = int32(len(w.texts))
		w.ids[text] = n
		w.texts = append(w.texts, text)
	}
	w.ids[raw] = n
	return n
}

// column remembers the last text of one column: neighbours mostly share it.
type column struct {
	text string
	n    int32
}

func (c *column) id(w *words, text string) int32 {
	if text != c.text {
		c.text, c.n = text, w.id(text)
	}
	return c.n
}

// valid is text as DuckDB takes it: logs may hold anything, and one bad byte
// must not stop the rest.
func valid(text string) string {
	if utf8.ValidString(text) { // several times faster than to look for what is not
		return text
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// text is the text of the number n.
func (w *words) text(n int32) string {
	if n < 0 || int(n) >= len(w.texts) {
		return ""
	}
	return w.texts[n]
}

// flush writes the new words.
func (w *words) flush(out *writer) error {
	if w.stored == len(w.texts) {
		return nil
	}
	a, err := out.table("word")
	if err != nil {
		return err
	}
	for n := w.stored; n < len(w.texts); n++ {
		if err := a.AppendRow(int32(n), w.texts[n]); err != nil {
			return err
		}
	}
	w.stored = len(w.texts)
	return nil
}

// toolSeparator stands between the names of one request's tools in a word.
const toolSeparator = "\n"

func joinToolNames(tools []string) string { return strings.Join(tools, toolSeparator) }

func splitToolNames(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, toolSeparator)
}
