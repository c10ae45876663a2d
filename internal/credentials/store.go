// Package credentials keeps the tokens of programs that call the daemon: the
// file tokens.json in the data folder, readable by its user alone, with hashes
// only. A token is shown once, when it is made. The command `token` and the
// daemon's guard use it, at the same time; it may import of the project only
// dashboard/guard, whose scopes it stores.
package credentials

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"meterbridge/dashboard/guard"
)

// Token is what is known of a token, without its secret.
type Token struct {
	ID        string        `json:"id"`
	Name      string        `json:"name"`
	Scopes    []guard.Scope `json:"scopes"`
	CreatedAt time.Time     `json:"createdAt"`
	// Hash is the SHA-256 of the token, in hex.
	Hash string `json:"hash"`
}

// file is tokens.json.
type file struct {
	SchemaVersion int     `json:"schemaVersion"`
	Tokens        []Token `json:"tokens"`
}

const (
	fileVersion = 1
	// prefix tells people, and programs that look for leaked secrets, what it is.
	prefix = "mb_"
	// mostTokens bounds the file.
	mostTokens  = 1000
	longestName = 100
)

// The errors of a store.
var (
	ErrUnknown   = errors.New("no such token")
	ErrAmbiguous = errors.New("several tokens have that name")
	ErrName      = errors.New("a token's name is up to 100 characters without control characters")
	ErrScope     = errors.New("no such scope")
	ErrTaken     = errors.New("a token has that name")
	ErrFull      = errors.New("there are too many tokens")
	ErrDamaged   = errors.New("the file of tokens cannot be read")
)

// Store is the file of tokens. Processes may use it at once: writers wait for
// each other, and a reader sees a change at its next question.
type Store struct {
	path string
	now  func() time.Time

	mu sync.Mutex
	// seen is the file as it was when known was read from it.
	seen  os.FileInfo
	known map[[sha256.Size]byte]Token
}

// Open names the file; it need not be there yet. A nil clock is time.Now.
func Open(path string, now func() time.Time) *Store {
	if now == nil {
		now = time.Now
	}
	return &Store{path: path, now: now}
}

// Create makes a token and returns its secret, which is not to be had again. The
// name must not be taken; the empty one is made up.
func (s *Store) Create(name string, scopes []guard.Scope) (secret string, made Token, err error) {
	secret = newSecret()
	hash := sha256.Sum256([]byte(secret))
	if name == "" {
		name = "token-" + hex.EncodeToString(hash[:4])
	}
	if err := check(name, scopes); err != nil {
		return "", Token{}, err
	}
	made = Token{
		ID: hex.EncodeToString(hash[:4]), Name: name, Scopes: slices.Clone(scopes), CreatedAt: s.now().UTC().Truncate(time.Second),
		Hash: hex.EncodeToString(hash[:]),
	}
	err = s.change(func(f *file) error {
		if len(f.Tokens) >= mostTokens {
			return ErrFull
		}
		if slices.ContainsFunc(f.Tokens, func(t Token) bool { return t.Name == name }) {
			return fmt.Errorf("%w: %s", ErrTaken, name)
		}
		f.Tokens = append(f.Tokens, made)
		return nil
	})
	if err != nil {
		return "", Token{}, err
	}
	return secret, made, nil
}

func check(name string, scopes []guard.Scope) error {
	if len(name) > longestName || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return ErrName
	}
	if len(scopes) == 0 {
		return ErrScope
	}
	for _, scope := range scopes {
		if !slices.Contains(guard.Scopes(), scope) {
			return fmt.Errorf("%w: %s", ErrScope, scope)
		}
	}
	return nil
}

// newSecret are 256 random bits as text.
func newSecret() string {
	var bits [32]byte
	_, _ = rand.Read(bits[:]) // it never fails
	return prefix + base64.RawURLEncoding.EncodeToString(bits[:])
}

// List are all tokens, the oldest first.
func (s *Store) List() ([]Token, error) {
	f, err := s.read()
	return f.Tokens, err
}

// Revoke removes the token of that name or id.
func (s *Store) Revoke(which string) (gone Token, err error) {
	err = s.change(func(f *file) error {
		var found []int
		for i, t := range f.Tokens {
			if t.Name == which || t.ID == which {
				found = append(found, i)
			}
		}
		switch len(found) {
		case 0:
			return fmt.Errorf("%w: %s", ErrUnknown, which)
		case 1:
			gone = f.Tokens[found[0]]
			f.Tokens = slices.Delete(f.Tokens, found[0], found[0]+1)
			return nil
		}
		return fmt.Errorf("%w: %s", ErrAmbiguous, which)
	})
	return gone, err
}

// Identify is the identity that a token stands for. What is looked up is the
// hash of what was sent, so the time that takes tells nothing of the tokens. A
// file that cannot be read knows no token.
func (s *Store) Identify(secret string) (guard.Identity, bool) {
	hash := sha256.Sum256([]byte(secret))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	t, ok := s.known[hash]
	if !ok || subtle.ConstantTimeCompare([]byte(t.Hash), []byte(hex.EncodeToString(hash[:]))) != 1 {
		return guard.Identity{}, false
	}
	return guard.Identity{ID: t.ID, Name: t.Name, Scopes: t.Scopes}, true
}

// refresh reads the file again when it is another one: each change replaces it.
func (s *Store) refresh() {
	now, err := os.Stat(s.path)
	if err != nil {
		s.seen, s.known = nil, nil
		return
	}
	if s.seen != nil && os.SameFile(s.seen, now) && s.seen.ModTime().Equal(now.ModTime()) && s.seen.Size() == now.Size() {
		return
	}
	f, err := s.read()
	if err != nil {
		s.seen, s.known = nil, nil
		return
	}
	s.seen, s.known = now, map[[sha256.Size]byte]Token{}
	for _, t := range f.Tokens {
		if hash, ok := hashOf(t.Hash); ok {
			s.known[hash] = t
		}
	}
}

func (s *Store) read() (file, error) {
	f := file{SchemaVersion: fileVersion, Tokens: []Token{}}
	text, err := os.ReadFile(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, nil
	case err != nil:
		return f, fmt.Errorf("read tokens: %w", err)
	}
	if err := json.Unmarshal(text, &f); err != nil {
		return f, fmt.Errorf("%w: %s: %w", ErrDamaged, s.path, err)
	}
	if f.SchemaVersion != fileVersion {
		return f, fmt.Errorf("%w: %s: version %d", ErrDamaged, s.path, f.SchemaVersion)
	}
	return f, nil
}

// change reads, changes and replaces the file while no other process does.
func (s *Store) change(fn func(*file) error) (err error) {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return fmt.Errorf("make the folder of tokens: %w", err)
	}
	lock := flock.New(s.path+".lock", flock.SetPermissions(0o600))
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("lock tokens: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	f, err := s.read()
	if err != nil {
		return err
	}
	if err := fn(&f); err != nil {
		return err
	}
	text, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return fmt.Errorf("write tokens: %w", err)
	}
	if err := replace(s.path, append(text, '\n')); err != nil {
		return fmt.Errorf("write tokens: %w", err)
	}
	return nil
}
