// Package registry says which tools there are and which caller sees which. What
// it says is an immutable snapshot that list and call read alike; a new set of
// tools replaces it as a whole and tells those whose view changed. It gives the
// tools of extensions their names for agents, and shortens them for clients that
// take no long ones. It imports bridge, bridge/schema, bridge/manifest and
// bridge/policy; internal/daemon fills it, edge and pipeline read it.
package registry

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"

	"meterbridge/bridge"
	"meterbridge/bridge/schema"
)

// ErrTool says that a tool cannot be registered.
var ErrTool = errors.New("a tool cannot be registered")

// maxName is the longest exposed name, in bytes.
const maxName = 64

// Entry is a registered tool with its schemas compiled.
type Entry struct {
	bridge.Tool
	// In is the schema of the arguments. Out is that of the structured answer, nil
	// without one.
	In, Out *schema.Schema
	// ObjectOut: every structured answer is an object.
	ObjectOut bool
}

// Sees says whether a caller sees a tool.
type Sees func(who bridge.Identity, tool string) bool

// Snapshot is the set of tools at one time.
type Snapshot struct {
	entries []*Entry
	sees    Sees
	rooms   Rooms
}

// Rooms says how long a tool's name may be for a caller, 0 for any length.
type Rooms func(who bridge.Identity) int

// Shown is the name by which a caller is told of a tool.
func (s *Snapshot) Shown(who bridge.Identity, name string) string {
	if s.rooms == nil {
		return name
	}
	if room := s.rooms(who); room > 0 {
		return Shorten(name, room)
	}
	return name
}

// Resolve is the tool that a caller means by a name, whether they see it or not:
// the whole name or the shortened one; nil when there is none.
func (s *Snapshot) Resolve(who bridge.Identity, name string) *Entry {
	if e := s.Find(name); e != nil || s.rooms == nil {
		return e
	}
	for _, e := range s.entries {
		if s.Shown(who, e.Name) == name {
			return e
		}
	}
	return nil
}

// InputFor is the schema of a tool's arguments as a caller is told it.
func (e *Entry) InputFor(who bridge.Identity) json.RawMessage {
	if e.Cards == nil {
		return e.Tool.Input
	}
	return WithCard(e.Tool.Input, e.Cards(who))
}

// Entries are all tools, by name.
func (s *Snapshot) Entries() []*Entry { return s.entries }

// Find returns a tool whoever sees it, nil when there is none of that name.
func (s *Snapshot) Find(name string) *Entry {
	i, ok := slices.BinarySearchFunc(s.entries, name, func(e *Entry, name string) int { return cmp.Compare(e.Name, name) })
	if !ok {
		return nil
	}
	return s.entries[i]
}

// Visible tells whether a caller sees a tool.
func (s *Snapshot) Visible(who bridge.Identity, name string) bool {
	return s.Find(name) != nil && (s.sees == nil || s.sees(who, name))
}

// Registry holds the snapshot in force.
type Registry struct {
	now atomic.Pointer[Snapshot]
	mu  sync.Mutex
	// rooms is what later snapshots have; guarded by mu.
	rooms Rooms
	// watchers are those who are told of changes; guarded by mu.
	watchers map[*watcher]struct{}
}

type watcher struct {
	who     bridge.Identity
	changed chan struct{}
}

// New returns a registry of these tools, which every caller sees.
func New(tools ...bridge.Tool) (*Registry, error) {
	r := &Registry{watchers: map[*watcher]struct{}{}}
	r.now.Store(&Snapshot{})
	return r, r.Set(tools, nil)
}

// Snapshot is the set of tools in force.
func (r *Registry) Snapshot() *Snapshot { return r.now.Load() }

// Set replaces the tools, and who sees them (nil: everybody sees all), all or
// nothing. The error names the tool that cannot be registered.
func (r *Registry) Set(tools []bridge.Tool, sees Sees) error {
	next := &Snapshot{sees: sees}
	for _, t := range tools {
		e, err := compile(t)
		if err != nil {
			return err
		}
		next.entries = append(next.entries, e)
	}
	slices.SortFunc(next.entries, func(a, b *Entry) int { return cmp.Compare(a.Name, b.Name) })
	for i := 1; i < len(next.entries); i++ {
		if a, b := next.entries[i-1].Name, next.entries[i].Name; strings.EqualFold(a, b) {
			return fmt.Errorf("%w: there are two named %s", ErrTool, b)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	next.rooms = r.rooms
	last := r.now.Swap(next)
	for w := range r.watchers {
		if !sameView(last, next, w.who) {
			select {
			case w.changed <- struct{}{}:
			default: // it has not looked since the last change
			}
		}
	}
	return nil
}

// Room has names shortened for callers that take no long ones, from the next Set on.
func (r *Registry) Room(rooms Rooms) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rooms = rooms
}

// compile checks a tool as far as the protocol is concerned.
func compile(t bridge.Tool) (*Entry, error) {
	if len(t.Name) == 0 || len(t.Name) > maxName || strings.ContainsFunc(t.Name, unfit) {
		return nil, fmt.Errorf("%w: %q must be 1 to %d of a-z, 0-9 and _", ErrTool, t.Name, maxName)
	}
	if t.Call == nil || t.Description == "" {
		return nil, fmt.Errorf("%w: %s needs a description and a handler", ErrTool, t.Name)
	}
	e := &Entry{Tool: t}
	var err error
	if e.In, err = compileSchema(t.Input, t.Foreign); err != nil {
		return nil, fmt.Errorf("%w: input of %s: %w", ErrTool, t.Name, err)
	}
	if t.Output != nil {
		if e.Out, err = compileSchema(t.Output, t.Foreign); err != nil {
			return nil, fmt.Errorf("%w: output of %s: %w", ErrTool, t.Name, err)
		}
		e.ObjectOut = isObject(t.Output)
	}
	if err := mcp.ValidateParamHeaderAnnotations(&mcp.Tool{Name: t.Name, RawInputSchema: t.Input}); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrTool, t.Name, err)
	}
	return e, nil
}

// isObject tells whether a schema says that its values are objects.
func isObject(text json.RawMessage) bool {
	var form struct{ Type any }
	return json.Unmarshal(text, &form) == nil && form.Type == "object"
}

// compileSchema takes what others wrote for the subset alone, whose checking has
// bounds.
func compileSchema(text json.RawMessage, foreign bool) (*schema.Schema, error) {
	if !foreign {
		return schema.Compile(text)
	}
	s, issues := schema.Subset(text)
	if len(issues) > 0 {
		return nil, fmt.Errorf("%w: %s", schema.ErrSchema, schema.Lines(issues, 1))
	}
	return s, nil
}

func unfit(c rune) bool { return c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9') }

// Watch returns a channel that tells of changes in what a caller sees, several at
// once as one, and the function that ends it.
func (r *Registry) Watch(who bridge.Identity) (<-chan struct{}, func()) {
	w := &watcher{who: who, changed: make(chan struct{}, 1)}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.watchers[w] = struct{}{}
	return w.changed, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.watchers, w)
	}
}

// sameView tells whether a caller sees the same tools with the same words.
func sameView(a, b *Snapshot, who bridge.Identity) bool {
	return slices.EqualFunc(a.seenBy(who), b.seenBy(who), func(x, y *Entry) bool {
		return x.Name == y.Name && x.Title == y.Title && x.Description == y.Description && x.Annotations == y.Annotations &&
			string(x.InputFor(who)) == string(y.InputFor(who)) && string(x.Output) == string(y.Output)
	})
}

func (s *Snapshot) seenBy(who bridge.Identity) []*Entry {
	var list []*Entry
	for _, e := range s.entries {
		if s.Visible(who, e.Name) {
			list = append(list, e)
		}
	}
	return list
}
