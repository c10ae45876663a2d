package edge

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"sync"
	"time"

	"meterbridge/bridge"
)

// session is what the revisions before 2026-07-28 call one: a client after its
// initialize.
type session struct {
	id  string
	who bridge.Identity
	// version is the revision that was agreed.
	version string
	// ctx ends with the session, and its calls with it.
	ctx context.Context
	end context.CancelFunc

	mu sync.Mutex
	// used is when it was last used, busy how many requests and streams it has now.
	used time.Time
	busy int
	// running holds the calls by the client's id for them.
	running map[string]context.CancelFunc
	// closeStream ends the open stream; nil without one.
	closeStream context.CancelFunc
}

// sessions are all of them, by id.
type sessions struct {
	limits Limits
	now    func() time.Time
	parent context.Context
	mu     sync.Mutex
	of     map[string]*session
}

// open makes a session. It is nil when the caller has too many that are in use;
// of others the one that was not used the longest makes room.
func (s *sessions) open(who bridge.Identity, version string) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweep()
	var mine int
	var oldest *session
	for _, x := range s.of {
		if x.who != who {
			continue
		}
		mine++
		if used, busy := x.state(); !busy && (oldest == nil || used.Before(oldest.lastUsed())) {
			oldest = x
		}
	}
	if mine >= s.limits.Sessions {
		if oldest == nil {
			return nil
		}
		s.drop(oldest)
	}
	x := &session{id: randomID(), who: who, version: version, used: s.now(), running: map[string]context.CancelFunc{}}
	x.ctx, x.end = context.WithCancel(s.parent)
	s.of[x.id] = x
	return x
}

func randomID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// find returns the caller's session of that id and counts a use of it, which
// leave ends; nil when there is none.
func (s *sessions) find(who bridge.Identity, id string) (x *session, leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweep()
	x = s.of[id]
	if x == nil || x.who != who {
		return nil, nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.used, x.busy = s.now(), x.busy+1
	return x, func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.used, x.busy = s.now(), x.busy-1
	}
}

// close ends a caller's session and tells whether there was one.
func (s *sessions) close(who bridge.Identity, id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.of[id]
	if x == nil || x.who != who {
		return false
	}
	s.drop(x)
	return true
}

// drop ends a session; s.mu is held.
func (s *sessions) drop(x *session) {
	delete(s.of, x.id)
	x.end()
}

// sweep ends those that were not used for too long; s.mu is held.
func (s *sessions) sweep() {
	limit := s.now().Add(-s.limits.SessionIdle)
	for _, x := range s.of {
		if used, busy := x.state(); !busy && used.Before(limit) {
			s.drop(x)
		}
	}
}

func (s *sessions) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.of {
		s.drop(x)
	}
}

func (s *sessions) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweep()
	return len(s.of)
}

func (x *session) state() (used time.Time, busy bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.used, x.busy > 0
}

func (x *session) lastUsed() time.Time {
	used, _ := x.state()
	return used
}

// begin notes a call under the client's id for it; false when that id is in use.
func (x *session) begin(id string, cancel context.CancelFunc) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if _, taken := x.running[id]; taken {
		return false
	}
	x.running[id] = cancel
	return true
}

func (x *session) finish(id string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.running, id)
}

// cancel cancels the call of that id, if it still runs.
func (x *session) cancel(id string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if cancel := x.running[id]; cancel != nil {
		cancel()
	}
}

// stream makes this the session's stream; an older one ends, as its client has
// lost it.
func (x *session) stream(end context.CancelFunc) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closeStream != nil {
		x.closeStream()
	}
	x.closeStream = end
}
