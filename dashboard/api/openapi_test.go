package api

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write docs/openapi.json instead of comparing it")

const document = "../../docs/openapi.json"

func TestDescription_IsTheCommittedOne(t *testing.T) {
	got, err := Description()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(document, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("docs/openapi.json (run this test with -update, and review; -committed +now):\n%s", diff)
	}
}
