package host

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"meterbridge/bridge"
)

// The quotas of storage, in bytes and keys.
const (
	mostValue    = 1 << 20
	instanceRoom = 5 << 20
	packageRoom  = 20 << 20
	mostKeys     = 10_000
)

// storage keeps values for an extension in a file of its folder.
type storage struct {
	path string
	mu   sync.Mutex
	// of holds values by scope and key; nil before it was read.
	of map[string]map[string]json.RawMessage
}

func newStorage(dir string) *storage { return &storage{path: filepath.Join(dir, ".storage.json")} }

// load reads the file; s.mu is held.
func (s *storage) load() *fault {
	if s.of != nil {
		return nil
	}
	text, err := os.ReadFile(s.path)
	of := map[string]map[string]json.RawMessage{}
	if err == nil {
		err = json.Unmarshal(text, &of)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return faulty(bridge.CodeInternal, "the stored values cannot be read: %v", err)
	}
	for _, scope := range []string{"instance", "package"} {
		if of[scope] == nil {
			of[scope] = map[string]json.RawMessage{}
		}
	}
	s.of = of
	return nil
}

// save writes the file as a whole; s.mu is held.
func (s *storage) save() *fault {
	text, err := json.Marshal(s.of)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(s.path), 0o700)
	}
	if err == nil {
		err = os.WriteFile(s.path+".new", text, 0o600)
	}
	if err == nil {
		err = os.Rename(s.path+".new", s.path)
	}
	if err != nil {
		return faulty(bridge.CodeInternal, "the value cannot be stored: %v", err)
	}
	return nil
}

// change applies a change to a scope and saves it, or leaves all as it was.
func (s *storage) change(scope string, edit func(values map[string]json.RawMessage)) *fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.load(); f != nil {
		return f
	}
	old := s.of[scope]
	values := make(map[string]json.RawMessage, len(old)+1)
	for key, value := range old {
		values[key] = value
	}
	edit(values)
	if bytes := used(values); bytes > room(scope) || len(values) > mostKeys {
		return faulty(codeQuota, "the storage would hold %d bytes in %d keys; %d bytes in %d keys are allowed", bytes, len(values), room(scope), mostKeys)
	}
	s.of[scope] = values
	f := s.save()
	if f != nil {
		s.of[scope] = old
	}
	return f
}

func room(scope string) int {
	if scope == "package" {
		return packageRoom
	}
	return instanceRoom
}

func used(values map[string]json.RawMessage) (bytes int) {
	for key, value := range values {
		bytes += len(key) + len(value)
	}
	return bytes
}

// view shows the values of a scope.
func (s *storage) view(scope string, look func(values map[string]json.RawMessage)) *fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.load(); f != nil {
		return f
	}
	look(s.of[scope])
	return nil
}

type storageAsk struct {
	Scope, Key, Prefix string
	Value              json.RawMessage
}

func (p *peer) storageGet(a storageAsk) (any, *fault) {
	answer := struct {
		Exists bool            `json:"exists"`
		Value  json.RawMessage `json:"value"`
	}{Value: json.RawMessage("null")}
	f := p.k.store.view(a.Scope, func(values map[string]json.RawMessage) {
		if value, ok := values[a.Key]; ok {
			answer.Exists, answer.Value = true, value
		}
	})
	return answer, f
}

func (p *peer) storageSet(a storageAsk) (any, *fault) {
	if len(a.Value) > mostValue {
		return nil, faulty(codeQuota, "a value may have %d bytes", mostValue)
	}
	return nil, p.k.store.change(a.Scope, func(values map[string]json.RawMessage) { values[a.Key] = a.Value })
}

func (p *peer) storageDelete(a storageAsk) (any, *fault) {
	return nil, p.k.store.change(a.Scope, func(values map[string]json.RawMessage) { delete(values, a.Key) })
}

func (p *peer) storageClear(a storageAsk) (any, *fault) {
	return nil, p.k.store.change(a.Scope, func(values map[string]json.RawMessage) { clear(values) })
}

func (p *peer) storageKeys(a storageAsk) (any, *fault) {
	keys := []string{}
	f := p.k.store.view(a.Scope, func(values map[string]json.RawMessage) {
		for key := range values {
			if strings.HasPrefix(key, a.Prefix) {
				keys = append(keys, key)
			}
		}
	})
	slices.Sort(keys)
	return map[string]any{"keys": keys}, f
}

func (p *peer) storageUsage(a storageAsk) (any, *fault) {
	var bytes, keys int
	f := p.k.store.view(a.Scope, func(values map[string]json.RawMessage) { bytes, keys = used(values), len(values) })
	return map[string]int{"bytes": bytes, "quota": room(a.Scope), "keys": keys}, f
}
