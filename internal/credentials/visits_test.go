package credentials

import (
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge/dashboard/guard"
)

var _ guard.Visits = (*Visits)(nil)

func TestVisits_AreKeptAsHashes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "browsers.json")
	v := OpenVisits(path)
	if known, err := v.Load(); err != nil || len(known) != 0 {
		t.Fatalf("without a file: %v, %v", known, err)
	}
	until := time.Date(2026, 12, 29, 12, 0, 0, 0, time.UTC)
	want := map[[sha256.Size]byte]time.Time{sha256.Sum256([]byte("a cookie")): until, sha256.Sum256([]byte("another")): until.Add(time.Hour)}
	if err := v.Save(want); err != nil {
		t.Fatal(err)
	}
	got, err := OpenVisits(path).Load()
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// A damaged file knows nobody, or those that it still names: it ends nothing.
func TestStores_SurviveDamage(t *testing.T) {
	long := strings.Repeat("ab", 40)
	for _, text := range []string{
		"", "{", "[]", `{"schemaVersion":2}`, `{"schemaVersion":1,"browsers":[{"hash":"` + long + `"},{"hash":"zz"}],"tokens":[{"id":"a","hash":"` + long + `"}]}`,
	} {
		path := filepath.Join(t.TempDir(), "x.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if known, err := OpenVisits(path).Load(); len(known) != 0 || err != nil && !errors.Is(err, ErrDamaged) {
			t.Errorf("%q: browsers %v, %v", text, known, err)
		}
		if who, ok := Open(path, nil).Identify("mb_x"); ok {
			t.Errorf("%q: %v", text, who)
		}
	}
}
