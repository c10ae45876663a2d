package asking

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"meterbridge/bridge"
	"meterbridge/bridge/pipeline"
	"meterbridge/bridge/policy"
	"meterbridge/bridge/registry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// remembered is a Memory of a consent that is kept nowhere.
type remembered struct{ policy.State }

func (r *remembered) Allow(agent, tool string, digest bridge.Digest) error {
	r.State.Allow(policy.Allowed{Agent: agent, Tool: tool, Digest: policy.Digest(digest)})
	return nil
}

// room is a pipeline whose calls are held, with the tools open (asks) and look (reads).
type room struct {
	t      *testing.T
	desk   *Desk
	memory *remembered
	pipe   *pipeline.Pipeline
	tools  *registry.Snapshot
}

func newRoom(t *testing.T, digest bridge.Digest) *room {
	t.Helper()
	r := &room{t: t, memory: &remembered{}}
	r.desk = New(Options{Asks: func(tool string) bool { return tool != "desk/quiet" }, Memory: r.memory})
	r.pipe = pipeline.New(pipeline.Options{Ask: r.desk.Ask})
	tool := func(name string, reads bool) bridge.Tool {
		a := bridge.Annotations{Destructive: true}
		if reads {
			a = bridge.ReadOnly()
		}
		return bridge.Tool{
			Name: name, Description: "a tool", Input: json.RawMessage(`{"type":"object"}`), Annotations: a, Timeout: 10 * time.Second,
			From: &bridge.Source{By: "link", Package: "desk", Tool: name, ToolDigest: digest},
			Call: func(context.Context, bridge.Identity, json.RawMessage) (bridge.Result, error) {
				return bridge.Result{Text: "done"}, nil
			},
		}
	}
	all, err := registry.New(tool("open", false), tool("quiet", false), tool("look", true))
	if err != nil {
		t.Fatal(err)
	}
	r.tools = all.Snapshot()
	return r
}

func (r *room) call(agent, tool string) pipeline.Answer {
	return r.pipe.Do(r.t.Context(), pipeline.Call{Who: bridge.Identity{Agent: agent}, Tool: r.tools.Find(tool), Args: json.RawMessage(`{}`)})
}

// held calls and, once the call is held, decides; it tells whether it was held.
func (r *room) held(agent, tool string, a Answer) (answer pipeline.Answer, held bool) {
	done := make(chan pipeline.Answer, 1)
	go func() { done <- r.call(agent, tool) }()
	synctest.Wait()
	for _, h := range r.desk.Waiting() {
		held = true
		if err := r.desk.Decide(h.ID, a); err != nil {
			r.t.Fatal(err)
		}
	}
	return <-done, held
}

func TestAsk_HoldsUntilDecided(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, bridge.Digest{1})
		for _, step := range []struct {
			agent, tool string
			answer      Answer
			held        bool
			code        string
		}{
			{"a", "look", Decline, false, ""}, // what only reads is never held
			{"a", "quiet", Decline, false, ""},
			{"a", "open", Decline, true, bridge.CodeUserCancelled},
			{"a", "open", Once, true, ""},
			{"a", "open", Agent, true, ""},
			{"a", "open", Decline, false, ""}, // allowed for this agent
			{"b", "open", Always, true, ""},   // and not for another
			{"c", "open", Decline, false, ""},
		} {
			got, held := r.held(step.agent, step.tool, step.answer)
			if held != step.held || got.Code != step.code {
				t.Errorf("%+v: held %v, %q %v", step, held, got.Code, got.Texts())
			}
		}
		// Other words of the tool are another digest: asked again.
		again := newRoom(t, bridge.Digest{2})
		again.memory.State = r.memory.State
		if _, held := again.held("a", "open", Once); !held {
			t.Error("a tool with other words is not asked about")
		}
	})
}

func TestAsk_TimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, bridge.Digest{1})
		if got := r.call("a", "open"); got.Code != bridge.CodeTimeout || len(r.desk.Waiting()) != 0 {
			t.Errorf("nobody decides: %q, %d wait", got.Code, len(r.desk.Waiting()))
		}
		if err := r.desk.Decide("ca-1", Once); !errors.Is(err, ErrUnknown) {
			t.Errorf("a call that is gone: %v", err)
		}
	})
}

// Calls that wait for a person keep nobody else from being answered.
func TestAsk_TakesNoTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, bridge.Digest{1})
		answers := make(chan pipeline.Answer, 20)
		for range 10 {
			go func() { answers <- r.call("a", "open") }()
		}
		synctest.Wait()
		if got := r.call("a", "look"); got.Code != "" {
			t.Errorf("beside held calls: %v", got.Texts())
		}
		if err := r.desk.Decide("ca-1", Agent); err != nil {
			t.Fatal(err)
		}
		for range 10 {
			if got := <-answers; got.Code != "" {
				t.Errorf("held beside one that was allowed for its agent: %v", got.Texts())
			}
		}
	})
}
