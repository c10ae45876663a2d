package walk

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkSkip walks every line without looking at any member: the most that a
// parser can reach. METERBRIDGE_CORPUS names a folder with JSON lines; without
// it the lines are made up.
func BenchmarkSkip(b *testing.B) {
	lines, size := benchLines(b)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, line := range lines {
			c := Over(line)
			c.Skip()
			if c.Err() != nil {
				b.Fatalf("rejected: %.200q", line)
			}
		}
	}
}

// BenchmarkMembers walks the members of each line's object and skips their values.
func BenchmarkMembers(b *testing.B) {
	lines, size := benchLines(b)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, line := range lines {
			c := Over(line)
			c.Object()
			for first := true; c.Member(&first); {
				c.Skip()
			}
		}
	}
}

func benchLines(b *testing.B) (lines [][]byte, size int64) {
	content := madeUp()
	if root := os.Getenv("METERBRIDGE_CORPUS"); root != "" {
		content = allLines(b, root)
	}
	for line := range bytes.Lines(content) {
		line = bytes.TrimRight(line, "\r\n")
		if c := Over(line); c.Peek() != 0 {
			if c.Skip(); c.Err() == nil {
				lines = append(lines, line)
				size += int64(len(line))
			}
		}
	}
	return lines, size
}

func allLines(b *testing.B, root string) (content []byte) {
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".jsonl") {
			return err
		}
		one, err := os.ReadFile(path)
		content = append(append(content, one...), '\n')
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return content
}

func madeUp() []byte {
	text := strings.Repeat(`\tif err != nil {\n\t\treturn fmt.Errorf(\"read %q: %w\", name, err) // 日本\n\t}\n`, 30)
	line := `{"parentUuid":null,"isSidechain":false,"cwd":"/srv/demo","type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_1","type":"tool_result","content":"` + text +
		`"}]},"usage":{"input_tokens":10,"cache":{"a":[1,2.5e3,true,null]}},"uuid":"r1"}` + "\n"
	return []byte(strings.Repeat(line, 500))
}
