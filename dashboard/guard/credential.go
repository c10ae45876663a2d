package guard

import (
	"net/http"
	"slices"
	"strings"
)

// Scope is what a token is good for.
type Scope string

// The scopes of tokens.
const (
	// ScopeRead asks the API, and hears its events.
	ScopeRead Scope = "read"
	// ScopeMetrics scrapes /metrics.
	ScopeMetrics Scope = "metrics"
	// ScopeOTLP delivers telemetry.
	ScopeOTLP Scope = "otlp"
	// ScopeMCP calls tools as the identity `local`.
	ScopeMCP Scope = "mcp"
)

// Scopes are all of them.
func Scopes() []Scope { return []Scope{ScopeRead, ScopeMetrics, ScopeOTLP, ScopeMCP} }

// Identity is whom a token stands for.
type Identity struct {
	ID, Name string
	Scopes   []Scope
}

// Tokens knows the credentials of programs. It must take the same time whether
// or not a token is known.
type Tokens interface {
	Identify(token string) (Identity, bool)
}

// longestToken bounds what is compared.
const longestToken = 512

// credential finds out who calls. A token that is sent and unknown is refused,
// whatever else comes with it.
func (g *Guard) credential(r *http.Request, rule Rule) (Caller, *refusal) {
	if header := r.Header.Get("Authorization"); header != "" {
		return g.token(header, rule)
	}
	if rule.Browser && g.o.Browser != nil && g.o.Browser.knows(r) {
		return Caller{Kind: KindBrowser, Name: "browser"}, nil
	}
	return Caller{}, unknown("a credential is needed")
}

func (g *Guard) token(header string, rule Rule) (Caller, *refusal) {
	scheme, token, _ := strings.Cut(header, " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "Bearer") || token == "" || len(token) > longestToken || g.o.Tokens == nil {
		return Caller{}, unknown("the Authorization header holds no token that is known")
	}
	who, ok := g.o.Tokens.Identify(token)
	if !ok {
		return Caller{}, unknown("the Authorization header holds no token that is known")
	}
	if !slices.ContainsFunc(rule.Scopes, func(s Scope) bool { return slices.Contains(who.Scopes, s) }) {
		return Caller{}, &refusal{
			reason: WrongScope, status: http.StatusForbidden, detail: "the token is good for something else",
			hint: "`meterbridge token new --scope " + scopeNames(rule.Scopes) + "` makes one that is good for this",
		}
	}
	return Caller{Kind: KindToken, ID: who.ID, Name: who.Name}, nil
}

func scopeNames(scopes []Scope) string {
	if len(scopes) == 0 {
		return "..."
	}
	return string(scopes[0])
}

func unknown(detail string) *refusal {
	return &refusal{
		reason: NoCredential, status: http.StatusUnauthorized, detail: detail,
		hint: "send Authorization: Bearer with a token of `meterbridge token new`",
	}
}
