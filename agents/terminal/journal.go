package terminal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"meterbridge/agents/terminal/hold"
	"meterbridge/agents/terminal/process"
)

// entry is one line of the journal.
type entry struct {
	// Event is spawns (before the program is started), runs or ends.
	Event      string    `json:"event"`
	ID         string    `json:"id"`
	Generation int       `json:"generation"`
	At         time.Time `json:"at"`
	// Leader is the program, Holder its holder, if it has one.
	Leader *process.Process `json:"leader,omitempty"`
	Holder *process.Process `json:"holder,omitempty"`
}

// journal is the file that tells a later daemon what this one started. nil keeps none.
type journal struct {
	mu   sync.Mutex
	file *os.File
}

// openJournal reads what an earlier life has left open and begins a new journal with
// it.
func openJournal(path string) (*journal, []entry, error) {
	open, err := readJournal(path)
	if err != nil {
		return nil, nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, nil, fmt.Errorf("make the folder of the journal of terminals: %w", err)
	}
	var text bytes.Buffer
	for _, e := range open {
		if err := json.NewEncoder(&text).Encode(e); err != nil {
			return nil, nil, err
		}
	}
	// A crash in between leaves the old journal.
	fresh := path + ".new"
	if err := errors.Join(os.WriteFile(fresh, text.Bytes(), 0o600), os.Rename(fresh, path)); err != nil {
		return nil, nil, fmt.Errorf("write the journal of terminals: %w", err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("open the journal of terminals: %w", err)
	}
	return &journal{file: f}, open, nil
}

// readJournal is what was begun and not ended, oldest first. A line that a crash has
// cut is the last one and says nothing.
func readJournal(path string) ([]entry, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the journal of terminals: %w", err)
	}
	var open []entry
	lines := bufio.NewScanner(bytes.NewReader(b))
	for lines.Scan() {
		var e entry
		if json.Unmarshal(lines.Bytes(), &e) != nil || e.ID == "" {
			continue
		}
		open = without(open, e.ID, e.Generation)
		if e.Event != "ends" {
			open = append(open, e)
		}
	}
	return open, nil
}

// HeldNow tells, after a journal, which terminals still run under a holder, also while
// no daemon does. It changes nothing.
func HeldNow(journal string) (lives func(id string, generation int) bool, err error) {
	open, err := readJournal(journal)
	if err != nil {
		return nil, err
	}
	return func(id string, generation int) bool {
		for _, e := range open {
			if e.ID == id && e.Generation == generation && e.Holder != nil && e.Leader != nil {
				return process.Alive(*e.Holder) && process.Alive(*e.Leader)
			}
		}
		return false
	}, nil
}

func without(all []entry, id string, generation int) []entry {
	kept := all[:0]
	for _, e := range all {
		if e.ID != id || e.Generation != generation {
			kept = append(kept, e)
		}
	}
	return kept
}

// spawns must be kept before the program is started.
func (j *journal) spawns(id string, generation int) error {
	return j.add(entry{Event: "spawns", ID: id, Generation: generation})
}

func (j *journal) runs(id string, generation int, w wire) {
	leader := w.Leader()
	e := entry{Event: "runs", ID: id, Generation: generation, Leader: &leader}
	if h, ok := w.(*hold.Held); ok {
		holder := h.State().Holder
		e.Holder = &holder
	}
	_ = j.add(e) // what is journalled as spawned is found by its environment
}

func (j *journal) ends(id string, generation int) {
	_ = j.add(entry{Event: "ends", ID: id, Generation: generation}) // else it is swept in vain
}

func (j *journal) add(e entry) error {
	if j == nil {
		return nil
	}
	e.At = time.Now().UTC()
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, err := j.file.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("write the journal of terminals: %w", err)
	}
	return nil
}

func (j *journal) close() error {
	if j == nil {
		return nil
	}
	return j.file.Close()
}
