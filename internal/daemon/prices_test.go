package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"meterbridge/internal/config"
)

// priced is an installation with one log, to which requests are added.
type priced struct {
	t    *testing.T
	home string
	n    int
}

func (p *priced) options() Options {
	return Options{
		Home: p.home, OS: "linux", Now: time.Now, Getenv: func(string) string { return "" },
		Paths: &config.Paths{Data: filepath.Join(p.home, "data"), Config: filepath.Join(p.home, "config")},
	}
}

// request adds a request of 1,000 tokens of input.
func (p *priced) request() {
	p.t.Helper()
	p.n++
	dir := filepath.Join(p.home, ".claude", "projects", "-srv-demo-shop")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		p.t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "s.jsonl"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		p.t.Fatal(err)
	}
	defer f.Close()
	fmt.Fprintf(f, `{"type":"assistant","uuid":"u%d","sessionId":"s","cwd":"/srv/demo-shop","timestamp":"2026-10-05T08:00:0%[1]d.000Z","requestId":"req_%[1]d","message":{"id":"msg_made_up_number_%[1]d","model":"claude-sonnet-4-5","usage":{"input_tokens":1000,"output_tokens":0}}}`+"\n", p.n)
}

func (p *priced) overrides(text string) {
	p.t.Helper()
	file := p.options().Paths.PriceOverrides()
	if err := errors.Join(os.RemoveAll(file), os.MkdirAll(filepath.Dir(file), 0o755)); err != nil {
		p.t.Fatal(err)
	}
	if text == "" {
		return
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// cost scans and returns the cost of all requests in micro-USD, with the warnings.
func (p *priced) cost() (int64, string) {
	p.t.Helper()
	m, err := Open(p.t.Context(), p.options())
	if err != nil {
		p.t.Fatal(err)
	}
	defer m.Close()
	if _, err := m.Scan(p.t.Context(), nil); err != nil {
		p.t.Fatal(err)
	}
	r, err := m.Usage(p.t.Context(), UsageQuery{By: "day", Zone: time.UTC, Cost: "auto"})
	if err != nil || r.Totals.CostMicroUSD == nil {
		p.t.Fatalf("usage: %v, %+v", err, r.Totals)
	}
	return *r.Totals.CostMicroUSD, strings.Join(m.Warnings(), "\n")
}

func (p *priced) want(when string, cost int64, warning string) {
	p.t.Helper()
	got, warned := p.cost()
	if got != cost || (warning == "") != (warned == "") || !strings.Contains(warned, warning) {
		p.t.Errorf("%s: cost %d, warnings %q; want %d and %q", when, got, warned, cost, warning)
	}
}

const tenDollars = "[[override]]\nprovider = \"anthropic\"\nmodel = \"claude-sonnet-4-5\"\ninput = \"10\"\noutput = \"20\"\n"

// Sonnet 4.5 costs 3 USD per million of input: 3,000 micro-USD for a request of
// 1,000 tokens, and 10,000 by an override of 10 USD.
func TestOpen_ABrokenPriceFileLeavesTheLastGoodPrices(t *testing.T) {
	for name, broken := range map[string]struct{ text, where string }{
		"no TOML":       {"garbage", "line 1, column"},
		"unknown key":   {"[[override]]\nprovider = \"anthropic\"\nmodle = \"x\"\n", "line 3, column 1"},
		"wrong type":    {"[[multiplier]]\nprovider = \"anthropic\"\nvalue = 2\n", "line 3, column"},
		"no price":      {strings.Replace(tenDollars, `"10"`, `"-10"`, 1), "line"},
		"unknown alias": {tenDollars + "[[alias]]\nprovider = \"anthropic\"\nmodel = \"x\"\nas = \"nobody/y\"\n", "line 6, column 3"},
	} {
		t.Run(name, func(t *testing.T) {
			p := &priced{t: t, home: t.TempDir()}
			p.request()
			p.overrides(broken.text)
			p.want("broken from the start", 3_000, broken.where)
			p.overrides(tenDollars)
			p.want("good", 10_000, "")
			p.overrides(broken.text)
			p.request()
			p.want("broken, with a new request", 20_000, broken.where)
			p.want("broken, once more", 20_000, broken.where)
			_, err := OpenPrices(p.options())
			var fault *Fault
			if !errors.As(err, &fault) || fault.Hint == "" || fault.Nothing || !strings.Contains(err.Error(), broken.where) {
				t.Errorf("prices alone: got %v, want a fault with a hint and %q", err, broken.where)
			}
			p.overrides(strings.Replace(tenDollars, `"10"`, `"20"`, 1))
			p.want("mended with another price", 40_000, "")
			p.overrides("")
			p.want("without the file", 6_000, "")
			p.overrides(broken.text)
			p.want("broken after it was taken away", 6_000, broken.where)
		})
	}
}

func TestOpen_AFolderInThePlaceOfThePriceFile(t *testing.T) {
	p := &priced{t: t, home: t.TempDir()}
	p.request()
	p.overrides(tenDollars)
	p.want("good", 10_000, "")
	p.overrides("")
	if err := os.Mkdir(p.options().Paths.PriceOverrides(), 0o755); err != nil {
		t.Fatal(err)
	}
	p.want("a folder", 10_000, "pricing.toml")
}
