package messagestore

import (
	"fmt"
	"strings"
	"testing"

	"meterbridge"
	"meterbridge/harnesses"
)

// BenchmarkQuery reads 20,000 messages with two parts each for the first time.
func BenchmarkQuery(b *testing.B) {
	const messages = 20_000
	w := newWriter(b)
	w.session("s", t0)
	w.exec("BEGIN")
	output := strings.Repeat(`line of text\n`, 200)
	for i := int64(0); i < messages; i++ {
		id := fmt.Sprint("m", i)
		w.answer(id, "s", t0+i*1000, t0+i*1000+900, 7)
		w.part("p"+id, id, `{"type":"tool","tool":"bash","callID":"c","state":{"status":"completed","output":"`+output+`","time":{"start":1,"end":2}}}`)
		w.part("q"+id, id, `{"type":"step-finish","reason":"stop","cost":0.1,"tokens":{"input":10,"output":7}}`)
	}
	w.exec("COMMIT")
	w.exec("PRAGMA wal_checkpoint(TRUNCATE)")
	b.ReportAllocs()
	for b.Loop() {
		m := &meter{t: b, path: w.path, quiet: true}
		if n := len(m.read().Requests); n != messages {
			b.Fatalf("%d requests, want %d", n, messages)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/messages, "ns/message")
}

// BenchmarkDocument reads one message file.
func BenchmarkDocument(b *testing.B) {
	text := []byte(strings.Replace(answer(t0, t0+900, 7), "{", `{"id":"msg_1","sessionID":"ses_1","parentID":"msg_0","providerID":"p","mode":"build","path":{"cwd":"/srv/demo","root":"/srv/demo"},"finish":"stop",`, 1))
	h := product.Harness()
	kind, _ := h.Claim("storage/message/ses_1/msg_1.json")
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		var out meterbridge.Batch
		h.Document(kind, harnesses.Options{Rel: "storage/message/ses_1/msg_1.json"}).Document(text, &out)
	}
}
