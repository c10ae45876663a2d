package claudecode

import (
	"time"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/genai"
)

// telemetry understands the OpenTelemetry of Claude Code, which its vendor calls
// beta. Its request_id is the requestId of transcripts.
func telemetry() *harnesses.Telemetry {
	return &harnesses.Telemetry{
		Services: []string{"claude-code"},
		Scopes:   []string{"com.anthropic.claude_code", "com.anthropic.claude_code.events", "com.anthropic.claude_code.tracing"},
		Prefix:   "claude_code.",
		Event:    toldEvent,
		Span:     toldSpan,
		Counter:  toldCounter,
	}
}

// untoldSession is the session of requests whose telemetry names none.
const untoldSession = "telemetry"

// longestCall is the longest duration that is believed.
const longestCall = 24 * time.Hour

// toldEvent makes a request of an api_request event, which is written when the
// answer has ended.
func toldEvent(e harnesses.Happening) (*meterbridge.Request, error) {
	if e.Name != "api_request" {
		return nil, nil
	}
	return told(e)
}

// toldSpan makes a request of the span of one.
func toldSpan(e harnesses.Happening) (*meterbridge.Request, error) {
	if e.Name != "llm_request" || e.Attributes.Text("success") == "false" {
		return nil, nil
	}
	return told(e)
}

func told(e harnesses.Happening) (*meterbridge.Request, error) {
	a := e.Attributes
	id := a.Text("request_id")
	if id == "" {
		return nil, harnesses.ErrNoRequestID
	}
	tokens, err := toldTokens(a)
	switch {
	case err != nil:
		return nil, err
	case tokens == (meterbridge.Tokens{}):
		return nil, harnesses.ErrNoTokens
	case tokens.Total() == 0:
		return nil, nil // nothing was spent
	}
	if e.Start.IsZero() {
		e.Start = sent(a, e.End)
	}
	r := &meterbridge.Request{
		Harness: ID, Store: store, NativeID: meterbridge.TelemetryID(id), RequestID: id, Session: a.Text("session.id"), Model: a.Text("model"),
		StartedAt: e.Start, EndedAt: e.End, Tokens: tokens, Speed: a.Text("speed"), Recorded: recorded([]byte(a.Decimal("cost_usd"))),
		Precision: meterbridge.PerRequest, Rule: meterbridge.RuleTelemetry,
	}
	if r.Session == "" {
		r.Session = untoldSession
	}
	return r, nil
}

// toldTokens are the counts by Claude Code's own names, whose input holds no
// cached tokens, else by those of the conventions, whose input does.
func toldTokens(a harnesses.Attributes) (t meterbridge.Tokens, err error) {
	for _, class := range []struct {
		name string
		into *meterbridge.Count
	}{
		{"input_tokens", &t.Input},
		{"output_tokens", &t.Output},
		{"cache_read_tokens", &t.CacheRead},
		{"cache_creation_tokens", &t.CacheWrite5m},
	} {
		if *class.into, err = a.Count(class.name); err != nil {
			return meterbridge.Tokens{}, err
		}
	}
	if t == (meterbridge.Tokens{}) {
		return genai.Tokens(a)
	}
	return t, nil
}

// sent is when a request was sent that took duration_ms; zero when that is not told.
func sent(a harnesses.Attributes, end time.Time) time.Time {
	ms, err := a.Count("duration_ms")
	if took := time.Duration(ms.N) * time.Millisecond; err == nil && ms.N > 0 && ms.N <= longestCall.Milliseconds() {
		return end.Add(-took)
	}
	return time.Time{}
}

// toldCounter says what a point of token.usage belongs to.
func toldCounter(name string, a harnesses.Attributes) (harnesses.Counted, bool) {
	c := harnesses.Counted{Session: a.Text("session.id"), Model: a.Text("model")}
	if name != "token.usage" {
		return c, false
	}
	switch kind := a.Text("type"); kind {
	case "input", "output", "cacheRead":
		c.Kind = kind
	case "cacheCreation":
		c.Kind = "cacheWrite"
	default:
		return c, false
	}
	return c, true
}
