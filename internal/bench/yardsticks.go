package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// yardsticks lists what is run each round, in turn. Each of ours has a folder of
// its own; a cold one begins without a ledger. The logs of Claude Code alone are
// measured apart, because the yardsticks of others read only those.
func (s settings) yardsticks(home, binary string) ([]*yardstick, error) {
	claude, err := s.claudeOnly(home)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	list, err := s.fileList(home)
	if err != nil {
		return nil, err
	}
	runs := []*yardstick{
		{name: "wc -l (Claude, Codex)", argv: []string{"sh", "-c", "xargs -a " + list + " wc -l >/dev/null"}, env: os.Environ()},
		s.ours("cold scan, Claude", claude, binary, true, "read_json, Claude", "ccusage, Claude"),
		{name: "read_json, Claude", argv: []string{self, "-read-json", claude}, env: os.Environ()},
		s.ours("cold scan, all", home, binary, true, "wc -l (Claude, Codex)", "ccusage, all"),
		s.ours("warm usage, all", home, binary, false, "ccusage, all"),
	}
	peer, err := s.ccusage()
	if err != nil {
		fmt.Fprintln(os.Stderr, "ccusage is not measured:", err)
		return runs, nil
	}
	env := []string{"HOME=" + home, "TZ=UTC", "PATH=" + os.Getenv("PATH")}
	return append(
		runs,
		&yardstick{name: "ccusage, Claude", argv: []string{peer, "claude", "daily", "--offline", "--json"}, env: env},
		&yardstick{name: "ccusage, all", argv: []string{peer, "daily", "--offline", "--json"}, env: env},
	), nil
}

// ours is a scan and a report in one process: stored, priced and queried.
func (s settings) ours(name, home, binary string, cold bool, against ...string) *yardstick {
	data := filepath.Join(s.dir, "data-"+strings.NewReplacer(" ", "-", ",", "").Replace(name))
	y := &yardstick{
		name: name, argv: []string{binary, "usage", "daily", "--json", "--timezone", "UTC"}, against: against,
		env: []string{"HOME=" + home, "METERBRIDGE_HOME=" + data, "TZ=UTC", "PATH=" + os.Getenv("PATH")},
	}
	if cold {
		y.before = func() error { return os.RemoveAll(data) }
	}
	return y
}

// claudeOnly is a HOME that holds only Claude Code's part of the corpus.
func (s settings) claudeOnly(home string) (string, error) {
	only := home + "-claude"
	if err := os.MkdirAll(only, 0o755); err != nil {
		return "", err
	}
	link := filepath.Join(only, ".claude")
	if _, err := os.Lstat(link); err == nil {
		return only, nil
	}
	return only, os.Symlink(filepath.Join(home, ".claude"), link)
}

func (s settings) fileList(home string) (string, error) {
	var files []string
	for _, dir := range []string{".claude", ".codex"} {
		err := filepath.WalkDir(filepath.Join(home, dir), func(path string, d fs.DirEntry, err error) error {
			if err == nil && filepath.Ext(path) == ".jsonl" {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			return "", err
		}
	}
	list := filepath.Join(s.dir, "files")
	return list, os.WriteFile(list, []byte(strings.Join(files, "\n")+"\n"), 0o644)
}

// peerVersion is the last one whose native program for Linux is on npm.
const peerVersion = "20.0.24"

// ccusage installs the peer's native program with npm, into the scratch folder.
func (s settings) ccusage() (string, error) {
	switch s.peers {
	case "off":
		return "", fmt.Errorf("switched off")
	case "auto":
	default:
		return s.peers, nil
	}
	dir := filepath.Join(s.dir, "npm")
	program := filepath.Join(dir, "node_modules/@ccusage/ccusage-linux-x64/bin/ccusage")
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	npm := exec.Command("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", dir,
		"@ccusage/ccusage-linux-x64@"+peerVersion)
	if out, err := npm.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm: %w: %.300s", err, out)
	}
	return program, os.Chmod(program, 0o755)
}
