package guard

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"sync"
	"time"

	"meterbridge/dashboard/problem"
)

// LoginPath is where a one-time link leads.
const LoginPath = "/login"

const (
	// linkLife is how long a link can be opened.
	linkLife = 10 * time.Minute
	// visitLife is how long a browser stays known after its last request.
	visitLife = 30 * 24 * time.Hour
	mostLinks = 32
	// mostVisits bounds the browsers that are known at once; the one unseen the longest goes.
	mostVisits = 64
)

// Browser knows browsers: a link that can be opened once becomes a cookie. Only
// hashes are kept: those of links in memory, those of cookies where Visits says.
type Browser struct {
	// Page shows a refusal to a person; nil writes a sentence. Set it before the first request.
	Page func(http.ResponseWriter, *http.Request, *problem.Problem)
	// Visits keeps the browsers that are known over a restart; nil forgets them. Set
	// it, and call Recall, before the first request.
	Visits Visits

	cookie string
	now    func() time.Time

	mu     sync.Mutex
	links  map[[sha256.Size]byte]time.Time
	visits map[[sha256.Size]byte]time.Time
	// saved is when Visits was last told.
	saved time.Time
}

// Visits keeps, by the hash of a cookie, until when a browser is known.
type Visits interface {
	Load() (map[[sha256.Size]byte]time.Time, error)
	Save(map[[sha256.Size]byte]time.Time) error
}

// NewBrowser makes one. The cookie's name should tell servers of one machine
// apart, for cookies do not know ports. A nil clock is time.Now.
func NewBrowser(cookie string, now func() time.Time) *Browser {
	return &Browser{
		cookie: cookie, now: timeOr(now),
		links: map[[sha256.Size]byte]time.Time{}, visits: map[[sha256.Size]byte]time.Time{},
	}
}

// Link is the path and query of a new one-time link.
func (b *Browser) Link() string {
	secret := newSecret()
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	keep(b.links, mostLinks-1, now)
	b.links[sha256.Sum256([]byte(secret))] = now.Add(linkLife)
	return LoginPath + "?token=" + secret
}

// newSecret are 256 random bits as text.
func newSecret() string {
	var bits [32]byte
	_, _ = rand.Read(bits[:]) // it never fails
	return base64.RawURLEncoding.EncodeToString(bits[:])
}

// keep drops what has expired, and the next to expire until at most n are left.
func keep(m map[[sha256.Size]byte]time.Time, n int, now time.Time) {
	for k, until := range m {
		if !now.Before(until) {
			delete(m, k)
		}
	}
	for len(m) > n {
		var first [sha256.Size]byte
		var at time.Time
		for k, until := range m {
			if at.IsZero() || until.Before(at) {
				first, at = k, until
			}
		}
		delete(m, first)
	}
}

// ServeHTTP turns a link into a cookie; mount it at LoginPath behind an open rule.
// The page then leads on: the cookie is not sent along with a redirect that began
// on another site, such as a terminal in a browser.
func (b *Browser) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if r.Method != http.MethodGet {
		// A HEAD of a program that looks at links must not use one up.
		w.Header().Set("Allow", http.MethodGet)
		(&refusal{reason: NoCredential, status: http.StatusMethodNotAllowed, detail: "a link is opened with GET"}).write(w, r, nil, b.Page)
		return
	}
	if !b.use(r.URL.Query().Get("token")) {
		(&refusal{reason: NoCredential, status: http.StatusUnauthorized, detail: "the link was opened before, or is too old", hint: linkHint}).write(w, r, nil, b.Page)
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: b.cookie, Value: b.admit(), Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil,
		MaxAge: int(visitLife / time.Second),
	})
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte("<!doctype html><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"0;url=/\"><title>Meterbridge</title><a href=\"/\">Meterbridge</a>\n"))
}

// use takes a link out; the second time it is not there.
func (b *Browser) use(secret string) bool {
	if len(secret) > longestToken {
		return false
	}
	key := sha256.Sum256([]byte(secret))
	b.mu.Lock()
	defer b.mu.Unlock()
	until, ok := b.links[key]
	delete(b.links, key)
	return ok && b.now().Before(until)
}

// saveEvery is how often a visit that goes on is worth writing down.
const saveEvery = time.Hour

// Recall takes up the browsers that were known before.
func (b *Browser) Recall() error {
	if b.Visits == nil {
		return nil
	}
	known, err := b.Visits.Load()
	b.mu.Lock()
	defer b.mu.Unlock()
	for key, until := range known {
		b.visits[key] = until
	}
	keep(b.visits, mostVisits, b.now())
	return err
}

// save tells Visits who is known. A browser is known to this server even where
// that cannot be written down.
func (b *Browser) save() {
	if b.Visits != nil {
		_ = b.Visits.Save(b.visits)
		b.saved = b.now()
	}
}

// admit is the cookie of a new browser.
func (b *Browser) admit() string {
	secret := newSecret()
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	keep(b.visits, mostVisits-1, now)
	b.visits[sha256.Sum256([]byte(secret))] = now.Add(visitLife)
	b.save()
	return secret
}

// knows reports whether the request has a good cookie. It looks up the hash of
// what was sent, so the time that takes tells nothing of what is known.
func (b *Browser) knows(r *http.Request) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range r.CookiesNamed(b.cookie) {
		if len(c.Value) > longestToken {
			continue
		}
		key := sha256.Sum256([]byte(c.Value))
		if until, ok := b.visits[key]; ok && b.now().Before(until) {
			b.visits[key] = b.now().Add(visitLife)
			if b.now().Sub(b.saved) >= saveEvery {
				b.save()
			}
			return true
		}
	}
	return false
}

// Forget lets every browser ask for a new link.
func (b *Browser) Forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.links)
	clear(b.visits)
	b.save()
}
