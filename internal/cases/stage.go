package cases

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"meterbridge/harnesses/fixtures"
)

// Stage is the temporary home of one case.
type Stage struct {
	// Home is an existing folder, without symbolic links in its path.
	Home string
	c    *Case
}

// At is a stage of the case in the folder home.
func (c *Case) At(home string) Stage { return Stage{Home: home, c: c} }

// Fill puts the home's path where a text has {{HOME}}.
func (s Stage) Fill(text string) string { return strings.ReplaceAll(text, "{{HOME}}", s.Home) }

// Getenv is a variable of the case; empty when it has none of that name.
func (s Stage) Getenv(name string) string { return s.Fill(s.c.Env[name]) }

// Environ is the clean environment of a run, as os/exec takes it.
func (s Stage) Environ() []string {
	list := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.Home, "TZ=UTC", "LANG=C.UTF-8",
		"METERBRIDGE_HOME=" + filepath.Join(s.Home, "meterbridge-home"),
	}
	for k := range s.c.Env {
		list = append(list, k+"="+s.Getenv(k))
	}
	return list
}

// Args are the arguments of a step's run in this home.
func (s Stage) Args(step *Step) []string {
	list := make([]string, len(step.Run))
	for i, a := range step.Run {
		list[i] = s.Fill(a)
	}
	return list
}

func (s Stage) inside(path string) string {
	if path = s.Fill(path); filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(s.Home, path)
}

// Prepare carries out a step that is no run; of a run it does nothing.
func (s Stage) Prepare(step *Step) error {
	if step.kind == "" {
		return nil
	}
	if err := s.prepare(step.kind, step.raw); err != nil {
		return fmt.Errorf("%s: %w", step.kind, err)
	}
	return nil
}

func (s Stage) prepare(kind string, raw json.RawMessage) error {
	if kind == "copy" && raw[0] == '"' {
		raw = json.RawMessage(`{"from":` + string(raw) + `}`)
	}
	var a struct {
		From, To, Path, Text, SQL, Target, Link, Kind, Head, Then string
		Keep                                                      bool
		Newline                                                   *bool
		Bytes                                                     int64
	}
	var list []string
	if raw[0] == '[' {
		if err := json.Unmarshal(raw, &list); err != nil {
			return err
		}
	} else if err := json.Unmarshal(raw, &a); err != nil {
		return err
	}
	switch kind {
	case "copy":
		return s.copy(a.From, a.To)
	case "append":
		return s.append(a.Path, a.From)
	case "append_raw":
		return add(s.inside(a.Path), strings.NewReader(a.Text))
	case "delete":
		return s.each(list, func(p string) error {
			if _, err := os.Lstat(p); err != nil {
				return err
			}
			return os.RemoveAll(p)
		})
	case "mkdir":
		return s.each(list, func(p string) error { return os.MkdirAll(p, 0o755) })
	case "move":
		if err := os.MkdirAll(filepath.Dir(s.inside(a.To)), 0o755); err != nil {
			return err
		}
		return os.Rename(s.inside(a.From), s.inside(a.To))
	case "truncate":
		return os.Truncate(s.inside(a.Path), a.Bytes)
	case "zstd":
		return compress(s.inside(a.Path), a.Keep)
	case "sqlite":
		return buildDatabase(s.inside(a.Path), filepath.Join(s.c.Folder, a.SQL))
	case "symlink":
		if err := os.MkdirAll(filepath.Dir(s.inside(a.Link)), 0o755); err != nil {
			return err
		}
		return os.Symlink(s.inside(a.Target), s.inside(a.Link))
	case "generate":
		if a.Kind != "huge-line" {
			return fmt.Errorf("unknown kind %q", a.Kind)
		}
		return s.hugeLine(a.Path, a.Head, a.Then, a.Bytes, a.Newline == nil || *a.Newline)
	}
	return fmt.Errorf("unknown step")
}

func (s Stage) each(list []string, do func(string) error) error {
	for _, p := range list {
		if err := do(s.inside(p)); err != nil {
			return err
		}
	}
	return nil
}

// copy overlays a folder of the case on the home; files are rewritten in place.
func (s Stage) copy(from, to string) error {
	src := filepath.Join(s.c.Folder, from)
	return filepath.WalkDir(src, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(src, path)
		dst := filepath.Join(s.inside(to), rel)
		if d.IsDir() {
			return os.MkdirAll(dst, 0o755)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if name, ok := strings.CutSuffix(dst, ".tmpl"); ok {
			dst, data = name, []byte(s.Fill(string(data)))
		}
		return os.WriteFile(dst, data, 0o644)
	})
}

func (s Stage) append(path, from string) error {
	data, err := os.ReadFile(filepath.Join(s.c.Folder, from))
	if err != nil {
		return err
	}
	return add(s.inside(path), bytes.NewReader(data))
}

func add(path string, r io.Reader) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := io.Copy(f, r); err != nil {
		return err
	}
	return f.Close()
}

func compress(path string, keep bool) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	packed, err := fixtures.Compress(data)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".zst", packed, 0o644); err != nil || keep {
		return err
	}
	return os.Remove(path)
}

func buildDatabase(path, script string) error {
	text, err := os.ReadFile(script)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	_, err = db.Exec(string(text))
	return errors.Join(err, db.Close())
}

// hugeLine writes one line of n bytes that holds no usage, between two files of the case.
func (s Stage) hugeLine(path, head, then string, n int64, newline bool) error {
	const opening = `{"type":"file-history-snapshot","snapshot":{"trackedFileBackups":{"blob":"`
	const closing = `"}}}`
	to := s.inside(path)
	if head != "" {
		if err := s.append(path, head); err != nil {
			return err
		}
	}
	fill := &repeated{left: n - int64(len(opening)+len(closing))}
	parts := []io.Reader{strings.NewReader(opening), fill}
	if newline {
		parts = append(parts, strings.NewReader(closing+"\n"))
	}
	if err := add(to, io.MultiReader(parts...)); err != nil || then == "" {
		return err
	}
	return s.append(path, then)
}

// repeated yields a text without quotes, left bytes long.
type repeated struct{ left int64 }

func (r *repeated) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, io.EOF
	}
	n := int(min(int64(len(p)), r.left))
	for i := range n {
		p[i] = "0123456789abcdef"[i%16]
	}
	r.left -= int64(n)
	return n, nil
}
