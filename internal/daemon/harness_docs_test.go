package daemon

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write generated documents instead of comparing them")

func TestHarnessDocs_AreWhatTheParsersDeclare(t *testing.T) {
	const path = "../../docs/harnesses.md"
	want := HarnessDocs()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Errorf("docs/harnesses.md is not what the parsers declare; run this test with -update (-want +got):\n%s", d)
	}
}
