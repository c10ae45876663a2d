package daemon

import (
	"errors"
	"fmt"
	"strings"

	"meterbridge/dashboard/guard"
	"meterbridge/internal/credentials"
)

type (
	// Scope is what a token is good for.
	Scope = guard.Scope
	// Token is what is known of a token, without its secret.
	Token = credentials.Token
)

// Scopes are all scopes of tokens.
func Scopes() []Scope { return guard.Scopes() }

// Tokens are the tokens of an installation. The ledger is not touched, and a
// daemon that runs sees changes at once.
type Tokens struct{ store *credentials.Store }

// OpenTokens names the file of tokens; it need not be there yet.
func OpenTokens(o Options) Tokens {
	return Tokens{credentials.Open(o.places().Tokens(), o.Now)}
}

// Create makes a token and returns its secret, which is not to be had again.
func (t Tokens) Create(name string, scopes []Scope) (string, Token, error) {
	secret, made, err := t.store.Create(name, scopes)
	return secret, made, tokenFault(err)
}

// List are all tokens, the oldest first.
func (t Tokens) List() ([]Token, error) {
	list, err := t.store.List()
	return list, tokenFault(err)
}

// Revoke removes the token of that name or id.
func (t Tokens) Revoke(which string) (Token, error) {
	gone, err := t.store.Revoke(which)
	return gone, tokenFault(err)
}

// Identify is the identity that a token stands for; it makes the tokens those
// that a guard asks.
func (t Tokens) Identify(secret string) (guard.Identity, bool) { return t.store.Identify(secret) }

func tokenFault(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, credentials.ErrUnknown):
		return &Fault{Err: err, Hint: "`meterbridge token list` lists them", Nothing: true}
	case errors.Is(err, credentials.ErrAmbiguous):
		return &Fault{Err: err, Hint: "`meterbridge token list` shows their ids"}
	case errors.Is(err, credentials.ErrTaken):
		return &Fault{Err: err, Hint: "choose another name, or revoke that one"}
	case errors.Is(err, credentials.ErrScope):
		return &Fault{Err: err, Hint: "the scopes are " + scopeList()}
	case errors.Is(err, credentials.ErrDamaged):
		return &Fault{Err: err, Hint: "move the file away; every token is then to be made anew"}
	}
	return &Fault{Err: fmt.Errorf("tokens: %w", err)}
}

func scopeList() string {
	var names []string
	for _, s := range Scopes() {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}
