package hooks

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"

	"meterbridge"
	"meterbridge/harnesses"
)

// Prefix is where hooks report to: POST /hooks/{harness}.
const Prefix = "/hooks/"

// MaxBody is the largest payload in bytes.
const MaxBody = 16 << 20

// nothing is the answer that has no opinion.
const nothing = "{}"

// Handler takes payloads. It checks their token itself; Host and Origin are the
// guard's, which must let everybody through to it that has a good one.
func (d *Desk) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+Prefix+"{harness}", d.serve)
	return mux
}

func (d *Desk) serve(w http.ResponseWriter, r *http.Request) {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	spawn, known := d.o.Spawn(token)
	machine := !known && d.isMachine(token)
	if !known && !machine {
		http.Error(w, `{"error":"unknown token"}`, http.StatusUnauthorized)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		http.Error(w, `{"error":"the payload is too large"}`, http.StatusRequestEntityTooLarge)
		return
	}
	if err != nil {
		return // the caller is gone
	}
	w.Header().Set("Content-Type", "application/json")
	h, ok := d.hooksOf(r.PathValue("harness"))
	if !ok {
		_, _ = io.WriteString(w, nothing)
		return
	}
	if machine {
		d.byHand(r.PathValue("harness"), h.Facts(body))
		_, _ = io.WriteString(w, nothing)
		return
	}
	_, _ = w.Write(d.ofSpawn(spawn, h, body))
}

// isMachine reports whether a token is that of agents that nobody started here.
func (d *Desk) isMachine(token string) bool {
	a, b := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(d.o.MachineToken))
	return d.o.MachineToken != "" && subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// ofSpawn takes a payload of a process that was started here and returns the answer.
// What an earlier process tells is dropped, but its question is answered.
func (d *Desk) ofSpawn(s Spawn, h *harnesses.Hooks, body []byte) []byte {
	answer, allowed := []byte(nothing), false
	a, err := d.o.Registry.Get(s.Agent)
	if err != nil {
		return answer
	}
	if a.Dangerous && h.Allow != nil {
		if yes, asked := h.Allow(body); asked {
			answer, allowed = yes, true
		}
	}
	t := d.began(a)
	if t == nil || s.Generation < a.Generation {
		return answer
	}
	if t.Info().Generation < s.Generation {
		t.Spawn(s.Generation, "") // its first hook came before the registry told of it
	}
	for _, f := range h.Facts(body) {
		f.Question.Allowed = allowed
		if own := t.Fact(s.Generation, f); !own {
			d.child(a.Harness, f)
		}
	}
	return answer
}

// child takes a fact of another session than the agent's: a process that inherited
// its environment. It is an agent of its own, known by its hooks.
func (d *Desk) child(harness string, f meterbridge.StatusFact) {
	if d.o.Log != nil {
		d.o.Log.Debug("hook of another session", slog.String("harness", harness), slog.String("session", f.Session))
	}
	d.byHand(harness, []meterbridge.StatusFact{f})
}

// byHand takes facts of agents that nobody started here: the session tells whose
// they are.
func (d *Desk) byHand(harness string, facts []meterbridge.StatusFact) {
	for _, f := range facts {
		if f.Session == "" {
			continue
		}
		if f.Kind == meterbridge.FactSessionEnded || f.Kind == meterbridge.FactExited {
			d.left(harness, f)
			continue
		}
		a, err := d.o.Registry.Hooked(harness, f.Session, f.Dir, f.Model)
		if err != nil {
			if d.o.Log != nil {
				d.o.Log.Warn("hook not taken", slog.String("harness", harness), slog.Any("error", err))
			}
			continue
		}
		if t := d.began(a); t != nil {
			t.Fact(a.Generation, f)
		}
	}
}

// left ends an agent that was started by hand: its session says that it ends. One
// that was never heard of is not made for that.
func (d *Desk) left(harness string, f meterbridge.StatusFact) {
	for id, t := range d.byHarness(harness) {
		i := t.Info()
		if !t.hooked || i.Session != f.Session || !i.Running {
			continue
		}
		now := d.o.Now()
		t.Exit(i.Generation)
		d.o.Publisher.Exited(id, i.Generation, now, meterbridge.Count{})
	}
}

func (d *Desk) byHarness(harness string) map[string]*desked {
	d.mu.Lock()
	defer d.mu.Unlock()
	found := map[string]*desked{}
	for id, t := range d.trackers {
		if t.harness == harness {
			found[id] = t
		}
	}
	return found
}
