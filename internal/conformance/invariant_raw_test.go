package conformance

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	_ "modernc.org/sqlite" // reads what OpenCode wrote

	"meterbridge"
)

// rawLogs are the usage records of logs as they were written, found by a reader
// that only knows encoding/json. A line that it cannot decode it does not know.
type rawLogs struct {
	// records of the harnesses whose records have an id, by the request's identity.
	records map[string][]record
	// counters are what Codex's lines say of one request each (what was spent
	// last, and how far the totals moved), with the total that the line gives.
	counters map[figures]reported
	// strange files have a line that encoding/json refuses.
	strange map[string]bool
}

// record is one usage record of one line, message or part.
type record struct {
	harness, id, file string
	tokens            figures
	// total is the record's own sum; reasoning is what it says of thinking.
	total, reasoning reported
	// side: the record lies in a sub-agent's log.
	side bool
}

func newRawLogs() *rawLogs {
	return &rawLogs{records: map[string][]record{}, counters: map[figures]reported{}, strange: map[string]bool{}}
}

func (l *rawLogs) add(store string, r record) {
	if r.id == "" || r.tokens.total() == 0 {
		return
	}
	id := meterbridge.NewID(r.harness, store, r.id)
	key := fmt.Sprintf("%x", id[:])
	if !slices.Contains(l.records[key], r) {
		l.records[key] = append(l.records[key], r)
	}
}

// read adds what the files say now.
func (l *rawLogs) read(t *testing.T, paths []string) {
	t.Helper()
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			continue // gone, or no log at all
		}
		switch filepath.Ext(path) {
		case ".jsonl":
			l.lines(path, content)
		case ".zst":
			l.lines(path, unpacked(content))
		case ".json":
			l.message(path, content)
		default:
			l.database(path)
		}
	}
}

func unpacked(content []byte) []byte {
	r, err := zstd.NewReader(bytes.NewReader(content), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil
	}
	defer r.Close()
	plain, _ := io.ReadAll(r) // of a cut stream, what is there
	return plain
}

// reported is a number of a log; null, absent and what is no number are not reported.
type reported meterbridge.Count

func (c *reported) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	var n float64
	if err := json.Unmarshal(text, &n); err != nil || n < 0 || n != math.Trunc(n) {
		return fmt.Errorf("%s is no count", text)
	}
	*c = reported{N: int64(n), OK: true}
	return nil
}

type claudeLine struct {
	Type        string
	IsSidechain bool
	AgentID     string
	Message     struct {
		ID, Model string
		Usage     *struct {
			Input      reported `json:"input_tokens"`
			Output     reported `json:"output_tokens"`
			CacheRead  reported `json:"cache_read_input_tokens"`
			CacheWrite reported `json:"cache_creation_input_tokens"`
			Lifetimes  struct {
				Short reported `json:"ephemeral_5m_input_tokens"`
				Long  reported `json:"ephemeral_1h_input_tokens"`
			} `json:"cache_creation"`
		}
	}
}

type codexUsage struct {
	Input      reported `json:"input_tokens"`
	Cached     reported `json:"cached_input_tokens"`
	CacheWrite reported `json:"cache_write_input_tokens"`
	Output     reported `json:"output_tokens"`
	Total      reported `json:"total_tokens"`
}

type codexLine struct {
	Type    string
	Payload struct {
		Type  string
		Usage *codexUsage
		Info  *struct {
			Last  *codexUsage `json:"last_token_usage"`
			Total *codexUsage `json:"total_token_usage"`
		}
	}
}

func (l *rawLogs) lines(path string, content []byte) {
	var before codexUsage
	for line := range bytes.Lines(content) {
		line = bytes.Trim(line, "\xef\xbb\xbf\r\n \t")
		var c claudeLine
		if json.Unmarshal(line, &c) == nil && c.Type == "assistant" {
			l.claude(path, &c)
			continue
		}
		var x codexLine
		if err := json.Unmarshal(line, &x); err != nil {
			l.strange[path] = l.strange[path] || len(line) > 0
			continue
		}
		if x.Payload.Usage != nil {
			l.counter(x.Payload.Usage)
		}
		if i := x.Payload.Info; i != nil {
			if i.Last != nil {
				l.counter(i.Last)
			}
			if i.Total != nil {
				l.counter(i.Total)
				l.counter(i.Total.since(before))
				before = *i.Total
			}
		}
	}
}

func (l *rawLogs) claude(path string, c *claudeLine) {
	u := c.Message.Usage
	if u == nil || c.Message.Model == "<synthetic>" {
		return
	}
	write := meterbridge.Count(u.Lifetimes.Short).Plus(meterbridge.Count(u.Lifetimes.Long))
	if u.CacheWrite.N > write.N || !write.OK {
		write = meterbridge.Count(u.CacheWrite)
	}
	l.add("transcripts", record{
		harness: "claude-code", id: c.Message.ID, file: path, side: c.IsSidechain || c.AgentID != "",
		tokens: figures{meterbridge.Count(u.Input), meterbridge.Count(u.Output), meterbridge.Count(u.CacheRead), write},
	})
}

// figures are disjoint where the line's total is input + output: so cached and
// written tokens lie inside input, reasoning inside output.
func (u codexUsage) figures() figures {
	input := meterbridge.Count(u.Input)
	input.N = max(0, input.N-u.Cached.N-u.CacheWrite.N)
	return figures{input, meterbridge.Count(u.Output), meterbridge.Count(u.Cached), meterbridge.Count(u.CacheWrite)}
}

func (l *rawLogs) counter(u *codexUsage) {
	if f := u.figures(); !l.counters[f].OK {
		l.counters[f] = u.Total
	}
}

func (u codexUsage) since(b codexUsage) *codexUsage {
	less := func(a, b reported) reported { return reported{N: a.N - b.N, OK: a.OK} }
	return &codexUsage{
		Input: less(u.Input, b.Input), Cached: less(u.Cached, b.Cached), CacheWrite: less(u.CacheWrite, b.CacheWrite),
		Output: less(u.Output, b.Output), Total: less(u.Total, b.Total),
	}
}

type openCodeTokens struct {
	Total     reported
	Input     reported
	Output    reported
	Reasoning reported
	Cache     struct{ Read, Write reported }
}

// figures add reasoning to output unless a total proves that it lies inside.
func (k *openCodeTokens) figures() figures {
	out := meterbridge.Count(k.Output)
	if inside := k.Input.N + k.Output.N + k.Cache.Read.N + k.Cache.Write.N; !k.Total.OK || k.Total.N != inside {
		out = out.Plus(meterbridge.Count(k.Reasoning))
	}
	return figures{meterbridge.Count(k.Input), out, meterbridge.Count(k.Cache.Read), meterbridge.Count(k.Cache.Write)}
}

func (l *rawLogs) message(path string, content []byte) {
	var m struct {
		ID, Role string
		Tokens   *openCodeTokens
	}
	if json.Unmarshal(content, &m) == nil && m.Role == "assistant" && m.Tokens != nil {
		harness := "opencode"
		if strings.Contains(filepath.ToSlash(path), "/kilo/") {
			harness = "kilo-code" // its fork
		}
		l.add("messages", record{harness: harness, id: m.ID, file: path, tokens: m.Tokens.figures(), total: m.Tokens.Total, reasoning: m.Tokens.Reasoning})
	}
}

func (l *rawLogs) database(path string) {
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro")
	if err != nil {
		return
	}
	defer db.Close()
	rows, err := db.Query("SELECT id, CAST(data AS TEXT) FROM message")
	if err != nil {
		return // another database, or none
	}
	defer rows.Close()
	for rows.Next() {
		var id, data string
		if rows.Scan(&id, &data) == nil && strings.HasPrefix(data, "{") {
			l.message(path, []byte(fmt.Sprintf(`{"id":%q,%s`, id, data[1:])))
		}
	}
}
