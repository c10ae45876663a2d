package pricing

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// casesFile is worked by hand from published prices; it is not made from the table.
const casesFile = "../testdata/pricing/cases.json"

type priceCase struct {
	ID       string          `json:"id"`
	Requests json.RawMessage `json:"requests"`
	Expected struct {
		CostMicroUSD *int64 `json:"costMicroUsd"`
		CostPartial  bool   `json:"costPartial"`
	} `json:"expected"`
	Why string `json:"why"`
}

func readCases(t testing.TB) []priceCase {
	t.Helper()
	data, err := os.ReadFile(casesFile)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []priceCase `json:"cases"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) < 48 {
		t.Fatalf("%d cases", len(file.Cases))
	}
	return file.Cases
}

func TestCostOf_Cases(t *testing.T) {
	table := Embedded()
	for _, c := range readCases(t) {
		t.Run(c.ID, func(t *testing.T) {
			input := append(append([]byte(`{"requests":`), c.Requests...), '}')
			requests, err := ReadRequests(input)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := table.CostOf(requests, Auto, "", time.Time{})
			if err != nil {
				t.Fatal(err)
			}
			got := c.Expected
			got.CostMicroUSD, got.CostPartial = answer.CostMicroUSD, answer.CostPartial
			if diff := cmp.Diff(c.Expected, got); diff != "" {
				t.Errorf("input %s\nwhy %s\ndiff (-want +got)\n%s\narithmetic %q", c.Requests, c.Why, diff, answer.Arithmetic)
			}
		})
	}
}
