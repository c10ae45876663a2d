package pricing

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"meterbridge"
)

// GivenRequest is a request as `pricing cost` takes it: tokens that are stated,
// not read from a log. Absent counts are 0.
type GivenRequest struct {
	Provider     string `json:"provider"`
	Model        string `json:"model"`
	At           string `json:"at"`
	Input        int64  `json:"input"`
	Output       int64  `json:"output"`
	Reasoning    *int64 `json:"reasoning"`
	CacheRead    int64  `json:"cache_read"`
	CacheWrite5m int64  `json:"cache_write_5m"`
	CacheWrite1h int64  `json:"cache_write_1h"`
	Speed        string `json:"speed"`
	ServiceTier  string `json:"service_tier"`
	Geo          string `json:"geo"`
	WebSearches  int64  `json:"web_search_requests"`
	// RecordedUSD is decimal text (or a JSON number), RecordedKind "billed" when
	// a zero in it is an invoiced amount.
	RecordedUSD  json.RawMessage `json:"recorded_usd"`
	RecordedKind string          `json:"recorded_kind"`
	// RawUsage is the provider's own usage object, for the reader only.
	RawUsage json.RawMessage `json:"raw_usage"`
}

// ErrRequests is a list of requests that cannot be priced as it stands.
var ErrRequests = errors.New("not a list of requests")

// ReadRequests reads {"requests":[...]}; a key that it does not know is an error.
func ReadRequests(data []byte) ([]GivenRequest, error) {
	var file struct {
		Requests []GivenRequest `json:"requests"`
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&file); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRequests, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: more than one object", ErrRequests)
	}
	if file.Requests == nil {
		return nil, fmt.Errorf("%w: no \"requests\"", ErrRequests)
	}
	return file.Requests, nil
}

// Request is the domain's form of g. now stands for a time that is not given.
func (g *GivenRequest) Request(now time.Time) (meterbridge.Request, error) {
	r := meterbridge.Request{
		Provider: g.Provider, Model: g.Model, EndedAt: now,
		ServiceTier: g.ServiceTier, Speed: g.Speed, Geo: g.Geo,
		WebSearches: meterbridge.Reported(g.WebSearches),
		Tokens: meterbridge.Tokens{
			Input: meterbridge.Reported(g.Input), Output: meterbridge.Reported(g.Output),
			CacheRead:    meterbridge.Reported(g.CacheRead),
			CacheWrite5m: meterbridge.Reported(g.CacheWrite5m), CacheWrite1h: meterbridge.Reported(g.CacheWrite1h),
		},
	}
	if g.Reasoning != nil {
		r.Tokens.Reasoning = meterbridge.Reported(*g.Reasoning)
	}
	if err := g.check(); err != nil {
		return r, err
	}
	if g.At != "" {
		at, err := ParseAt(g.At)
		if err != nil {
			return r, err
		}
		r.EndedAt = at
	}
	var err error
	r.Recorded, err = g.recorded()
	return r, err
}

// check refuses counts that no request can have.
func (g *GivenRequest) check() error {
	reasoning := int64(0)
	if g.Reasoning != nil {
		reasoning = *g.Reasoning
	}
	for _, c := range [...]struct {
		name string
		n    int64
	}{
		{"input", g.Input},
		{"output", g.Output},
		{"reasoning", reasoning},
		{"cache_read", g.CacheRead},
		{"cache_write_5m", g.CacheWrite5m},
		{"cache_write_1h", g.CacheWrite1h},
		{"web_search_requests", g.WebSearches},
	} {
		switch {
		case c.n < 0:
			return fmt.Errorf("%w: a negative count: %s is %d", ErrRequests, c.name, c.n)
		case c.n > meterbridge.MaxCount:
			return fmt.Errorf("%w: an impossible count: %s is %d, more than %d (2^53)", ErrRequests, c.name, c.n, int64(meterbridge.MaxCount))
		}
	}
	return nil
}

// recorded reads the recorded cost. Without tokens beside it, or as an invoiced
// amount, a zero is a cost; else it only means "not recorded".
func (g *GivenRequest) recorded() (meterbridge.NullPico, error) {
	text := string(bytes.Trim(g.RecordedUSD, `"`))
	if text == "" || text == "null" {
		return meterbridge.NullPico{}, nil
	}
	amount, err := meterbridge.ParseUSD(text)
	if err != nil {
		return meterbridge.NullPico{}, fmt.Errorf("%w: recorded_usd: %w", ErrRequests, err)
	}
	if amount.IsZero() && g.RecordedKind != "billed" {
		return meterbridge.NullPico{}, nil
	}
	return meterbridge.SomePico(amount), nil
}

// ParseAt reads a date (its start in UTC) or an instant in RFC 3339.
func ParseAt(text string) (time.Time, error) {
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		return t, nil
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("%w: %.40q: a date or a time such as 2026-10-20T12:00:00Z", errTime, text)
	}
	return t.UTC(), nil
}
