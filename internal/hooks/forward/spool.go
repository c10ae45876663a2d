package forward

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

const (
	// mostSpool is how large the spool may be, in bytes; mostSpooled one payload in it.
	mostSpool   = 1 << 20
	mostSpooled = 128 << 10
)

// Spooled is a payload that came while no daemon ran. It holds no token.
type Spooled struct {
	At      time.Time `json:"at"`
	Harness string    `json:"harness"`
	// Agent and Generation are those of the agent's environment; empty for one that
	// nobody started here.
	Agent      string `json:"agent,omitempty"`
	Generation string `json:"generation,omitempty"`
	Payload    []byte `json:"payload"`
}

// keep adds a payload to the spool. What cannot be kept is lost: a hook must not fail.
func keep(path, harness string, getenv func(string) string, payload []byte, now time.Time) {
	if path == "" || len(payload) > mostSpooled {
		return
	}
	line, err := json.Marshal(Spooled{
		At: now.UTC(), Harness: harness, Agent: getenv("METERBRIDGE_AGENT"), Generation: getenv("METERBRIDGE_GENERATION"), Payload: payload,
	})
	if err != nil {
		return
	}
	_ = add(path, append(line, '\n'))
}

func add(path string, line []byte) error {
	if info, err := os.Stat(path); err == nil && info.Size()+int64(len(line)) > mostSpool {
		if err := shorten(path); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make the folder of the spool: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open the spool: %w", err)
	}
	_, err = f.Write(line)
	return errors.Join(err, f.Close())
}

// shorten drops the older half of the spool.
func shorten(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the spool: %w", err)
	}
	text = text[len(text)/2:]
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		text = text[i+1:]
	}
	next := path + ".next"
	if err := os.WriteFile(next, text, 0o600); err != nil {
		return fmt.Errorf("shorten the spool: %w", err)
	}
	if err := os.Rename(next, path); err != nil {
		return fmt.Errorf("shorten the spool: %w", err)
	}
	return nil
}

// Take reads the spool and empties it; lines that cannot be read are left out.
func Take(path string) ([]Spooled, error) {
	taken := path + ".taken"
	if err := os.Rename(path, taken); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, fmt.Errorf("take the spool: %w", err)
	}
	text, err := os.ReadFile(taken)
	if err != nil {
		return nil, fmt.Errorf("read the spool: %w", err)
	}
	var list []Spooled
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 2*mostSpool)
	for lines.Scan() {
		var s Spooled
		if json.Unmarshal(lines.Bytes(), &s) == nil && s.Harness != "" {
			list = append(list, s)
		}
	}
	return list, os.Remove(taken)
}
