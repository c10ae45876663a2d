package claudecode

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"meterbridge"
	"meterbridge/harnesses"
)

// BenchmarkParse reads transcripts that lie in memory: those of the corpus that
// METERBRIDGE_CORPUS names, else lines of the same shape.
func BenchmarkParse(b *testing.B) {
	files := benchFiles(b)
	size := int64(0)
	for _, f := range files {
		size += int64(len(f))
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		requests := 0
		for _, f := range files {
			requests += parseAll(f)
		}
		if requests == 0 {
			b.Fatal("no requests")
		}
	}
}

func parseAll(content []byte) int {
	p := newParser(harnesses.Options{Rel: "projects/-srv-demo/s.jsonl"})
	var out meterbridge.Batch
	requests, line := 0, int64(0)
	for len(content) > 0 {
		end := bytes.IndexByte(content, '\n')
		if end < 0 {
			break
		}
		line++
		p.Line(content[:end], meterbridge.Place{Line: line}, &out)
		content = content[end+1:]
		if len(out.Requests) >= 2048 {
			requests += drain(p, &out)
		}
	}
	return requests + drain(p, &out)
}

func drain(p *parser, out *meterbridge.Batch) int {
	p.Flush(out)
	n := len(out.Requests)
	*out = meterbridge.Batch{
		Requests: out.Requests[:0], Sessions: out.Sessions[:0], Prompts: out.Prompts[:0], ToolCalls: out.ToolCalls[:0],
	}
	return n
}

func benchFiles(b *testing.B) (files [][]byte) {
	home := os.Getenv(corpusVariable)
	if home == "" {
		return [][]byte{madeUp(1000)}
	}
	root := filepath.Join(home, ".claude")
	for _, rel := range sources(b, Harness(), root) {
		content, err := os.ReadFile(filepath.Join(root, rel))
		if err != nil {
			b.Fatal(err)
		}
		files = append(files, content)
	}
	return files
}

// madeUp is a transcript of n turns: a prompt, an answer on three lines, and a
// tool's output of some kilobytes, twice, as the client writes it.
func madeUp(n int) []byte {
	var out bytes.Buffer
	output := bytes.Repeat([]byte(`\tif err != nil {\n\t\treturn fmt.Errorf(\"read %q: %w\", name, err) // 日本\n\t}\n`), 40)
	for i := range n {
		fmt.Fprintf(&out, `{"parentUuid":null,"isSidechain":false,"userType":"external","cwd":"/srv/demo","sessionId":"s","version":"2.1.332","gitBranch":"main","type":"user","promptId":"p%d","message":{"role":"user","content":"Look at file %d"},"uuid":"u%d","timestamp":"2026-10-05T08:00:01.000Z"}`+"\n", i, i, i)
		for k := range 3 {
			fmt.Fprintf(&out, `{"parentUuid":null,"isSidechain":false,"userType":"external","cwd":"/srv/demo","sessionId":"s","version":"2.1.332","gitBranch":"main","message":{"model":"claude-opus-4-5-20251101","id":"msg_01AAAAAAAAAAAAAAAAAA%06d","type":"message","role":"assistant","content":[{"type":"tool_use","id":"toolu_%d_%d","name":"Read","input":{"file_path":"/srv/demo/main.go","note":"%s"}}],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":10,"cache_creation_input_tokens":700,"cache_read_input_tokens":9000,"cache_creation":{"ephemeral_5m_input_tokens":500,"ephemeral_1h_input_tokens":200},"output_tokens":%d,"service_tier":"standard"}},"requestId":"req_011AAAAAAAAAAAA%06d","type":"assistant","uuid":"a%d_%d","timestamp":"2026-10-05T08:00:05.000Z"}`+"\n",
				i, i, k, output[:400], 1+k*100, i, i, k)
		}
		fmt.Fprintf(&out, `{"parentUuid":null,"isSidechain":false,"userType":"external","cwd":"/srv/demo","sessionId":"s","version":"2.1.332","gitBranch":"main","type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_%d_0","type":"tool_result","content":"%s"}]},"toolUseResult":{"stdout":"%s","stderr":"","interrupted":false},"uuid":"r%d","timestamp":"2026-10-05T08:00:06.000Z"}`+"\n",
			i, output, output, i)
	}
	return out.Bytes()
}
