package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestPricingCost_Cases asks the command line for each worked case, as anybody
// can from outside.
func TestPricingCost_Cases(t *testing.T) {
	data, err := os.ReadFile("../../testdata/pricing/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct {
			ID       string          `json:"id"`
			Requests json.RawMessage `json:"requests"`
			Expected struct {
				CostMicroUSD *int64 `json:"costMicroUsd"`
				CostPartial  bool   `json:"costPartial"`
			} `json:"expected"`
		} `json:"cases"`
	}
	if err := json.Unmarshal(data, &file); err != nil || len(file.Cases) == 0 {
		t.Fatalf("%d cases, %v", len(file.Cases), err)
	}
	home := t.TempDir()
	for _, c := range file.Cases {
		path := filepath.Join(home, c.ID+".json")
		if err := os.WriteFile(path, []byte(`{"requests":`+string(c.Requests)+`}`), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, fault bytes.Buffer
		code := run(t.Context(), []string{"pricing", "cost", "--json", "--file", path}, terminal{
			out: &out, err: &fault, home: home, now: time.Now,
			getenv: func(name string) string {
				if name == "METERBRIDGE_HOME" {
					return home
				}
				return ""
			},
		})
		var got struct {
			CostMicroUSD *int64 `json:"costMicroUsd"`
			CostPartial  bool   `json:"costPartial"`
		}
		if err := json.Unmarshal(out.Bytes(), &got); err != nil || code != exitOK {
			t.Errorf("%s: exit %d, %v\n%s", c.ID, code, err, fault.String())
			continue
		}
		if count(got.CostMicroUSD) != count(c.Expected.CostMicroUSD) || got.CostPartial != c.Expected.CostPartial {
			t.Errorf("%s: want %s %t, got %s %t", c.ID, count(c.Expected.CostMicroUSD), c.Expected.CostPartial, count(got.CostMicroUSD), got.CostPartial)
		}
	}
}
