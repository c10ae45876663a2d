//go:build external

package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"meterbridge/dashboard/guard"
	"meterbridge/harnesses/all"
	"meterbridge/harnesses/fixtures"
	"meterbridge/internal/control"
	"meterbridge/internal/credentials"
	"meterbridge/internal/testkit"
	"meterbridge/scanner"
)

const docs = "../../docs"

// patienceOfScrapes is how long Prometheus may take to scrape often enough.
const patienceOfScrapes = 2 * time.Minute

// Prometheus scrapes a daemon whose ledger holds the fixtures of every harness:
// it has the ledger's total, every panel of the dashboard has a sample, and every
// alert can be evaluated.
func TestPrometheus_ScrapesWhatTheDashboardShows(t *testing.T) {
	program := testkit.Program(t, "prometheus", "prometheus")
	m := everyFixture(t)
	address, token := scrapable(t, m)
	p := prometheusOf(t, program, address, token)

	report, err := m.Usage(t.Context(), UsageQuery{By: "harness", Cost: "auto"})
	if err != nil {
		t.Fatal(err)
	}
	total := 0.0
	for _, row := range report.Rows {
		if row.TotalTokens == nil {
			continue
		}
		want := float64(*row.TotalTokens)
		total += want
		p.await(t, fmt.Sprintf("sum(meterbridge_tokens_total{harness=%q})", row.Key), is(want))
	}
	p.await(t, "sum(meterbridge_tokens_total)", is(total))
	p.await(t, "count(count_over_time(meterbridge_build_info[5m]) >= 3)", func(samples []float64) bool { return len(samples) == 1 })
	for title, query := range panels(t) {
		if samples := p.query(t, query); len(samples) == 0 {
			t.Errorf("panel %q has no sample: %s", title, query)
		}
	}
	for name, query := range alerts(t) {
		p.query(t, query) // an error fails the test
		t.Logf("alert %s can be evaluated", name)
	}
}

// is tells whether an answer is this one number, as far as a float has it: a
// fixture has counts beyond 2^53.
func is(want float64) func([]float64) bool {
	return func(samples []float64) bool {
		return len(samples) == 1 && (samples[0] == want || want > 1<<53 && math.Abs(samples[0]/want-1) < 1e-15)
	}
}

// The alerting rules are right, and each fires on the state that it is for.
func TestPrometheus_AlertsFire(t *testing.T) {
	testkit.Program(t, "prometheus", "prometheus")
	promtool := testkit.Program(t, "promtool", "prometheus")
	for _, args := range [][]string{{"check", "rules", "alerts.yml"}, {"test", "rules", "alerts_test.yml"}} {
		c := exec.CommandContext(t.Context(), promtool, args...)
		c.Dir = filepath.Join(docs, "prometheus")
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, out)
		}
	}
}

// everyFixture is a meter whose ledger holds every fixture of every harness, with
// a budget, and whose own home has a log with a line that cannot be read.
func everyFixture(t *testing.T) *Meter {
	t.Helper()
	home := t.TempDir()
	for path, text := range map[string]string{
		"data/config.toml":               "[[budget]]\nname = \"month\"\nscope = \"all\"\nwindow = \"month\"\nmax_usd = 100\n",
		".claude/projects/-x/a.jsonl":    "{\"type\":\"assistant\",\n",
		".codex/sessions/2026/x/r.jsonl": "",
	} {
		file := filepath.Join(home, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	m, err := Open(t.Context(), Options{
		Getenv: func(name string) string {
			return map[string]string{"METERBRIDGE_HOME": filepath.Join(home, "data"), "TZ": "UTC"}[name]
		},
		Home: home, OS: runtime.GOOS, Now: time.Now, Version: "test",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	cases, err := filepath.Glob("../../testdata/harnesses/*/*")
	if err != nil || len(cases) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, dir := range cases {
		env, err := fixtures.Build(os.DirFS(dir), t.TempDir())
		if err != nil {
			t.Fatalf("%s: %v", dir, err)
		}
		s, err := scanner.New(m.ledger, scanner.Options{Env: env, Harnesses: all.Harnesses(), StoreText: true})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.scan(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", dir, err)
		}
	}
	return m
}

// scrapable starts a daemon of the meter and returns its address and a token
// that may scrape it.
func scrapable(t *testing.T, m *Meter) (address, token string) {
	t.Helper()
	token, _, err := credentials.Open(m.paths.Tokens(), time.Now).Create("prometheus", []guard.Scope{guard.ScopeMetrics})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	started, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- m.Serve(ctx, ServeOptions{
			Addr: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler),
			Started: func(s control.Status, _ string) { started <- s.Addresses[0] },
		})
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	address = <-started
	// A request that is refused, for the panel of refusals.
	resp, err := http.Get(address + "/api/v1/usage")
	if err != nil || resp.StatusCode != http.StatusUnauthorized {
		t.Fatalf("a request without a credential: %v, %v", resp, err)
	}
	resp.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	return address, token
}

// prometheus is a server that scrapes a daemon each second.
type prometheus struct {
	url    string
	client *http.Client
}

func prometheusOf(t *testing.T, program, daemon, token string) *prometheus {
	t.Helper()
	dir := t.TempDir()
	u, err := url.Parse(daemon)
	if err != nil {
		t.Fatal(err)
	}
	secret, config := filepath.Join(dir, "token"), filepath.Join(dir, "prometheus.yml")
	text := fmt.Sprintf("global: {scrape_interval: 1s}\nscrape_configs:\n  - job_name: meterbridge\n    authorization: {credentials_file: %s}\n    static_configs: [{targets: [%q]}]\n", secret, u.Host)
	if err := errors.Join(os.WriteFile(secret, []byte(token), 0o600), os.WriteFile(config, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	ctx, stop := context.WithCancel(context.Background())
	c := exec.CommandContext(ctx, program, "--config.file="+config, "--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+address)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 10 * time.Second
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	p := &prometheus{url: "http://" + address, client: &http.Client{}}
	t.Cleanup(func() {
		p.client.CloseIdleConnections()
		stop()
		_ = c.Wait() // interrupted
	})
	return p
}

// answer is the part of an answer of Prometheus's API that is looked at.
type answer struct {
	Status, Error string
	Data          struct {
		Result []struct{ Value [2]any }
	}
}

func (p *prometheus) ask(ctx context.Context, query string) ([]float64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+"/api/v1/query?query="+url.QueryEscape(query), nil)
	if err != nil {
		return nil, err
	}
	resp, err := p.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	var a answer
	if err := json.Unmarshal(body, &a); err != nil {
		return nil, fmt.Errorf("%s: %s: %w", query, body, err)
	}
	if a.Status != "success" {
		return nil, fmt.Errorf("%s: %s", query, a.Error)
	}
	var samples []float64
	for _, r := range a.Data.Result {
		text, _ := r.Value[1].(string)
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, err
		}
		samples = append(samples, v)
	}
	return samples, nil
}

func (p *prometheus) query(t *testing.T, query string) []float64 {
	t.Helper()
	samples, err := p.ask(t.Context(), query)
	if err != nil {
		t.Errorf("%v", err)
	}
	return samples
}

// await asks until the answer is good.
func (p *prometheus) await(t *testing.T, query string, good func([]float64) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patienceOfScrapes)
	defer cancel()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		samples, err := p.ask(ctx, query)
		if err == nil && good(samples) {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%s: %v, %v", query, samples, err)
		case <-tick.C:
		}
	}
}

// panels are the queries of the dashboard by panel, its variables filled in.
func panels(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(docs, "grafana", "meterbridge.json"))
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Panels []struct {
			Title   string
			Targets []struct{ RefID, Expr string }
		}
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	fill := strings.NewReplacer("$__rate_interval", "1m", "$harness", ".*", "$model", ".*")
	queries := map[string]string{}
	for _, p := range d.Panels {
		for _, target := range p.Targets {
			queries[p.Title+" "+target.RefID] = fill.Replace(target.Expr)
		}
	}
	if len(queries) < 20 {
		t.Fatalf("the dashboard has %d queries", len(queries))
	}
	return queries
}

func alerts(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(docs, "prometheus", "alerts.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Groups []struct {
			Rules []struct{ Alert, Expr string }
		}
	}
	if err := yaml.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	queries := map[string]string{}
	for _, g := range d.Groups {
		for _, r := range g.Rules {
			queries[r.Alert] = r.Expr
		}
	}
	return queries
}
