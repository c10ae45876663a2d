//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// server is an MCP server with one tool.
const server = `#!/bin/sh
while read -r line; do
  id=${line#*'"id":'}
  id=${id%%[!0-9]*}
  case "$line" in
  *'"initialize"'*)
    printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}\n' "$id" ;;
  *'"tools/list"'*)
    printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"add","description":"Adds.","inputSchema":{"type":"object"}}]}}\n' "$id" ;;
  esac
done
`

// An import says what it was taken from and how its tools are turned on: a link
// would change nothing.
func TestExtImport_SaysWhatComesNext(t *testing.T) {
	m := newMachine(t)
	t.Cleanup(func() { // installed files are read-only
		_ = filepath.WalkDir(m.dir, func(path string, _ os.DirEntry, _ error) error { return os.Chmod(path, 0o700) })
	})
	program := filepath.Join(m.dir, "server")
	if err := os.WriteFile(program, []byte(server), 0o700); err != nil {
		t.Fatal(err)
	}
	out, errOut, code := m.ask("ext", "import", "sums", "--yes", "--stdio", "--", program, "-v")
	if code != 0 || !strings.Contains(out, "`meterbridge ext enable sums/TOOL`") {
		t.Errorf("import: %d %s %s", code, out, errOut)
	}
	out, errOut, code = m.ask("ext", "show", "sums")
	if code != 0 || !strings.Contains(out, program+" -v\n") || strings.Contains(out, "meterbridge-import-") {
		t.Errorf("show: %d %s %s", code, out, errOut)
	}
}
