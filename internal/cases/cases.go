// Package cases reads the acceptance cases of testdata/cases, each a public
// report of wrong numbers or a trap found by running tools (docs/cases.md), and
// prepares the homes that they describe. It runs no program and knows no
// report; the tests of the command line, the conformance suite and
// internal/peers call it. Of the project it imports harnesses/fixtures alone,
// which owns the drivers that build databases and compressed logs.
package cases

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Case is the content of one case.json.
type Case struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	// Refs are the public reports, as owner/name#number; none for a trap that
	// was found otherwise.
	Refs []string `json:"refs"`
	// Why derives the wanted numbers by hand.
	Why     string `json:"why"`
	Harness string `json:"harness"`
	// Env are variables for every run; {{HOME}} in a value is the home's path.
	Env   map[string]string `json:"env"`
	Steps []Step            `json:"steps"`
	// Folder is where the case lies.
	Folder string `json:"-"`
}

// Step prepares the home or runs the program.
type Step struct {
	// Run are the program's arguments; empty when the step prepares.
	Run    []string
	Expect Expectation
	// kind and raw are what is prepared.
	kind string
	raw  json.RawMessage
}

// Expectation is what a run must give; absent fields are not compared.
type Expectation struct {
	Exit      int            `json:"exit"`
	Totals    map[string]any `json:"totals"`
	Rows      []Row          `json:"rows"`
	RowCount  *int           `json:"rowCount"`
	MaxRSSMiB *float64       `json:"maxRssMiB"`
}

// Row wants of the one row that Match fits that it has the fields of Want.
type Row struct {
	Match map[string]any `json:"match"`
	Want  map[string]any `json:"want"`
}

// UnmarshalJSON reads {"run": …, "expect": …} or {"<what to do>": …}.
func (s *Step) UnmarshalJSON(text []byte) error {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return err
	}
	for kind, value := range raw {
		var err error
		switch kind {
		case "run":
			err = json.Unmarshal(value, &s.Run)
		case "expect":
			err = json.Unmarshal(value, &s.Expect)
		default:
			s.kind, s.raw = kind, value
		}
		if err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
	}
	return nil
}

// Load reads the case in a folder.
func Load(folder string) (Case, error) {
	c := Case{Folder: folder}
	path := filepath.Join(folder, "case.json")
	text, err := os.ReadFile(path)
	if err != nil {
		return c, fmt.Errorf("read case: %w", err)
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return c, fmt.Errorf("read %s: %w", path, err)
	}
	return c, nil
}

// All reads every case below a folder, by name.
func All(root string) ([]Case, error) {
	folders, err := filepath.Glob(filepath.Join(root, "*", "case.json"))
	if err != nil {
		return nil, fmt.Errorf("list cases: %w", err)
	}
	if len(folders) == 0 {
		return nil, fmt.Errorf("no cases in %s", root)
	}
	list := make([]Case, len(folders))
	for i, path := range folders {
		if list[i], err = Load(filepath.Dir(path)); err != nil {
			return nil, err
		}
	}
	return list, nil
}
