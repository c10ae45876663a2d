package messagestore

import "sync"

// knownLimit bounds how many sessions are remembered.
const knownLimit = 20_000

// known remembers what documents ask of their neighbours again and again. One
// belongs to each harness that is made; it is safe for concurrent use.
type known struct {
	mu       sync.Mutex
	sessions map[place]*conversation
	lists    map[place]map[string]string
}

// place is a file below a root.
type place struct{ root, rel string }

func newKnown() *known {
	return &known{sessions: map[place]*conversation{}, lists: map[place]map[string]string{}}
}

// session returns what is known of a session, else what find finds.
func (k *known) session(root, rel string, find func() *conversation) *conversation {
	at := place{root, rel}
	k.mu.Lock()
	c := k.sessions[at]
	k.mu.Unlock()
	if c != nil {
		return c
	}
	c = find()
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.sessions) >= knownLimit {
		clear(k.sessions)
	}
	if c.created > 0 { // one without a file may get it yet
		k.sessions[at] = c
	}
	return c
}

// list returns the sessions of a store as they lay when they were first asked for.
func (k *known) list(root, base string, look func() map[string]string) map[string]string {
	k.mu.Lock()
	defer k.mu.Unlock()
	at := place{root, base}
	list, ok := k.lists[at]
	if !ok {
		list = look()
		k.lists[at] = list
	}
	return list
}
