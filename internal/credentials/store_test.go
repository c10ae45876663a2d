package credentials

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge/dashboard/guard"
)

func store(t *testing.T) (*Store, string) {
	path := filepath.Join(t.TempDir(), "data", "tokens.json")
	return Open(path, func() time.Time { return time.Date(2026, 11, 29, 12, 0, 0, 5, time.UTC) }), path
}

func read() []guard.Scope { return []guard.Scope{guard.ScopeRead} }

func TestStore_ATokenIsShownOnceAndKeptAsItsHash(t *testing.T) {
	s, path := store(t)
	secret, made, err := s.Create("grafana", []guard.Scope{guard.ScopeMetrics, guard.ScopeRead})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), secret) || strings.Contains(string(text), strings.TrimPrefix(secret, prefix)) {
		t.Error("the file holds the token")
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	who, ok := Open(path, nil).Identify(secret)
	want := guard.Identity{ID: made.ID, Name: "grafana", Scopes: []guard.Scope{guard.ScopeMetrics, guard.ScopeRead}}
	if diff := cmp.Diff(want, who); !ok || diff != "" {
		t.Errorf("identity, %v (-want +got):\n%s", ok, diff)
	}
	for _, wrong := range []string{"", secret[1:], secret + "x", made.Hash, made.ID, "grafana", strings.ToUpper(secret)} {
		if who, ok := s.Identify(wrong); ok {
			t.Errorf("%q is %+v", wrong, who)
		}
	}
}

func TestStore_ARunningReaderSeesChangesOfAnother(t *testing.T) {
	daemon, path := store(t)
	command := Open(path, nil)
	if _, ok := daemon.Identify("mb_x"); ok {
		t.Fatal("known without a file")
	}
	first, _, err := command.Create("first", read())
	if err != nil {
		t.Fatal(err)
	}
	second, made, err := command.Create("second", read())
	if err != nil {
		t.Fatal(err)
	}
	known := func(secret string) bool { _, ok := daemon.Identify(secret); return ok }
	if !known(first) || !known(second) {
		t.Error("a new token is not known")
	}
	if gone, err := command.Revoke(made.ID); err != nil || gone.Name != "second" {
		t.Fatal(gone, err)
	}
	if !known(first) || known(second) {
		t.Error("a revoked token is known, or another is not")
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if known(first) {
		t.Error("a damaged file knows tokens")
	}
	if _, _, err := command.Create("third", read()); !errors.Is(err, ErrDamaged) {
		t.Errorf("a damaged file is written over: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if known(first) {
		t.Error("a removed file knows tokens")
	}
}

func TestStore_RefusesWhatItCannotKeep(t *testing.T) {
	s, _ := store(t)
	if _, _, err := s.Create("taken", read()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		scopes []guard.Scope
		want   error
	}{
		{strings.Repeat("x", 101), read(), ErrName},
		{"a\nb", read(), ErrName},
		{"a", nil, ErrScope},
		{"a", []guard.Scope{"write"}, ErrScope},
		{"taken", read(), ErrTaken},
	} {
		if _, _, err := s.Create(c.name, c.scopes); !errors.Is(err, c.want) {
			t.Errorf("create %q %v: %v", c.name, c.scopes, err)
		}
	}
	if _, err := s.Revoke("nobody"); !errors.Is(err, ErrUnknown) {
		t.Errorf("revoke nobody: %v", err)
	}
}

func TestStore_LosesNothingToWritersAtOnce(t *testing.T) {
	_, path := store(t)
	var wg sync.WaitGroup
	secrets := make([]string, 24)
	for i := range secrets {
		wg.Go(func() {
			var err error
			if secrets[i], _, err = Open(path, nil).Create(fmt.Sprint("t", i), read()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	s := Open(path, nil)
	for i, secret := range secrets {
		if _, ok := s.Identify(secret); !ok {
			t.Errorf("token %d was lost", i)
		}
	}
}
