package config

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"meterbridge"
)

// Config is config.toml. The zero value is what holds without the file.
type Config struct {
	Report  Report   `toml:"report"`
	Sources []Source `toml:"source"`
	Privacy Privacy  `toml:"privacy"`
	Pricing Pricing  `toml:"pricing"`
	Serve   Serve    `toml:"serve"`
	Metrics Metrics  `toml:"metrics"`
	Bridge  Bridge   `toml:"bridge"`
	Budgets []Budget `toml:"budget"`
}

// Report is the table [report]: what reports take when no flag says otherwise.
type Report struct {
	// Timezone is an IANA name; empty for the system's zone.
	Timezone string `toml:"timezone"`
	// WeekStart is the lower-case English name of a weekday; empty for monday.
	WeekStart string `toml:"week_start"`
}

// Source is one [[source]]: a further place where a harness's logs lie.
type Source struct {
	Harness string `toml:"harness"`
	// Path is absolute or begins with "~/".
	Path string `toml:"path"`
	// Machine names the machine whose copy this is; empty for this one.
	Machine string `toml:"machine"`
}

// Privacy is the table [privacy].
type Privacy struct {
	// StoreText = false keeps titles, last replies and prompt previews out of
	// the ledger. nil means true.
	StoreText *bool `toml:"store_text"`
}

// KeepsText tells whether texts go into the ledger.
func (p Privacy) KeepsText() bool { return p.StoreText == nil || *p.StoreText }

// Pricing is the table [pricing]. Nothing is ever fetched unless URL is set, and
// then only by `pricing update` or, where AutoUpdate is set, by the daemon.
type Pricing struct {
	URL string `toml:"url"`
	// AutoUpdate is how often the daemon fetches URL, as "24h"; empty for never.
	AutoUpdate string `toml:"auto_update"`
}

// leastUpdate is the shortest time between two updates.
const leastUpdate = time.Hour

// UpdateEvery is AutoUpdate; 0 for never.
func (p Pricing) UpdateEvery() (time.Duration, error) {
	if p.AutoUpdate == "" {
		return 0, nil
	}
	every, err := time.ParseDuration(p.AutoUpdate)
	switch {
	case err != nil || every < leastUpdate:
		return 0, fmt.Errorf("auto_update %q is no time of an hour or more, such as 24h", p.AutoUpdate)
	case p.URL == "":
		return 0, fmt.Errorf("auto_update needs url")
	}
	return every, nil
}

// checkURL refuses an address that nothing can be fetched from; a file's path and
// "embedded" are no addresses.
func (p Pricing) checkURL() error {
	if !strings.Contains(p.URL, "://") {
		return nil
	}
	u, err := url.Parse(p.URL)
	if err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") {
		return fmt.Errorf("%q is no address of the web, such as https://example.com/prices.json", p.URL)
	}
	return nil
}

// Serve is the table [serve]: how the daemon listens.
type Serve struct {
	// Addr is HOST:PORT; empty for DefaultAddr.
	Addr string `toml:"addr"`
	// Hosts are further names or addresses, without a port, by which clients may call
	// the server: those of a proxy before it, or of this machine on a network.
	Hosts []string `toml:"hosts"`
	// MetricsOpen lets anyone who can connect scrape /metrics.
	MetricsOpen bool `toml:"metrics_open"`
}

// CheckAddr refuses what nobody can listen on; empty is DefaultAddr.
func CheckAddr(addr string) error {
	if addr == "" {
		return nil
	}
	_, port, err := net.SplitHostPort(addr)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return fmt.Errorf("%q is not HOST:PORT, such as %s", addr, DefaultAddr)
	}
	return nil
}

// checkHost refuses what no Host header can name.
func checkHost(host string) error {
	if _, err := netip.ParseAddr(host); err == nil {
		return nil
	}
	if host == "" || len(host) > 253 || strings.Trim(host, "-.") != host || strings.ContainsFunc(host, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '.' || r == '_')
	}) {
		return fmt.Errorf("%q is no name of a host or address without a port, such as meter.example.com", host)
	}
	return nil
}

// Metrics is the table [metrics]: what /metrics shows besides the default.
type Metrics struct {
	// Projects is how many projects are told apart, by a label; 0 shows none.
	Projects int `toml:"projects"`
	// ClaudeNames adds the names of Claude Code's own telemetry.
	ClaudeNames bool `toml:"claude_names"`
}

// Bridge is the table [bridge]: how agents are told of tools.
type Bridge struct {
	// ShortenNames = false tells every client the whole name of a tool, however long.
	// nil means true.
	ShortenNames *bool `toml:"shorten_names"`
	// CallsPerMinute is how often an agent may call one tool a minute; 0 means 60.
	CallsPerMinute int `toml:"calls_per_minute"`
	// TraceValues keeps arguments and answers of calls in the ledger, secrets blanked.
	TraceValues bool `toml:"trace_values"`
	// SearchTools shows agents find_tool and call_tool instead of extensions' tools.
	SearchTools bool `toml:"search_tools"`
	// Ask is who asks a person before a call of a tool that does not only read:
	// AskClient (also when empty) leaves it to the agent's program, AskBridge holds it.
	Ask string `toml:"ask"`
	// Tools are exceptions, by PACKAGE/TOOL with the extension's own name of the tool;
	// the package of our own tools is "meterbridge".
	Tools map[string]BridgeTool `toml:"tools"`
}

// BridgeTool is one exception.
type BridgeTool struct {
	// Ask is that of Bridge, for this tool alone.
	Ask string `toml:"ask"`
}

// The values of Bridge.Ask.
const (
	AskClient = "client"
	AskBridge = "bridge"
)

// Asks tells whether a person is asked before a call of a tool that does not only read.
func (b Bridge) Asks(tool string) bool {
	if t, ok := b.Tools[tool]; ok && t.Ask != "" {
		return t.Ask == AskBridge
	}
	return b.Ask == AskBridge
}

// check refuses what cannot be meant.
func (b Bridge) check() error {
	if b.CallsPerMinute < 0 {
		return wrongValue("bridge", 1, "calls_per_minute", errors.New("not a number from 1"))
	}
	if err := askedBy(b.Ask); err != nil {
		return wrongValue("bridge", 1, "ask", err)
	}
	for name, t := range b.Tools {
		if pkg, local, ok := strings.Cut(name, "/"); !ok || pkg == "" || local == "" {
			return wrongValue("bridge", 1, "tools", fmt.Errorf("%q is not of the form PACKAGE/TOOL", name))
		}
		if err := askedBy(t.Ask); err != nil {
			return wrongValue("bridge", 1, "tools", fmt.Errorf("%s: %w", name, err))
		}
	}
	return nil
}

func askedBy(who string) error {
	if who == "" || who == AskClient || who == AskBridge {
		return nil
	}
	return fmt.Errorf("%q is neither %q nor %q", who, AskClient, AskBridge)
}

// Shortens tells whether long names are shortened.
func (b Bridge) Shortens() bool { return b.ShortenNames == nil || *b.ShortenNames }

// mostProjects bounds the series that projects make.
const mostProjects = 200

// DefaultAddr is where the daemon listens when nothing says otherwise.
const DefaultAddr = "127.0.0.1:7433"

// Error is a fault in config.toml, with the place and what to do about it.
type Error struct {
	// Path, Line and Column say where; Line is 0 when the fault has no place.
	Path         string
	Line, Column int
	Problem      string
	Hint         string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.Path, e.Problem)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.Path, e.Line, e.Column, e.Problem)
}

// Load reads the file at path, strictly: an unknown key, a wrong type or a
// value that cannot be meant is an *Error. A missing file is the zero Config.
func Load(path, home string) (Config, error) {
	var c Config
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err == nil && !info.Mode().IsRegular() {
		return c, &Error{Path: path, Problem: "not a regular file"}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return c, fmt.Errorf("read settings: %w", err)
	}
	d := toml.NewDecoder(strings.NewReader(string(text))).DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return Config{}, located(path, err)
	}
	if err := c.check(home); err != nil {
		fault := &Error{Path: path, Problem: err.Error()}
		var wrong *valueError
		if errors.As(err, &wrong) {
			fault.Line, fault.Column = wrong.place(text)
		}
		return Config{}, fault
	}
	return c, nil
}

func located(path string, err error) error {
	var unknown *toml.StrictMissingError
	if errors.As(err, &unknown) && len(unknown.Errors) > 0 {
		first := unknown.Errors[0]
		line, column := first.Position()
		return &Error{
			Path: path, Line: line, Column: column,
			Problem: "unknown key " + strings.Join(first.Key(), "."),
			Hint:    "the keys are listed in docs/guide.md, section Settings",
		}
	}
	var wrong *toml.DecodeError
	if errors.As(err, &wrong) {
		line, column := wrong.Position()
		return &Error{Path: path, Line: line, Column: column, Problem: strings.TrimPrefix(wrong.Error(), "toml: ")}
	}
	return &Error{Path: path, Problem: err.Error()}
}

func (c *Config) check(home string) error {
	if _, err := c.Report.Zone(); err != nil {
		return wrongValue("report", 1, "timezone", err)
	}
	if _, err := meterbridge.Weekday(c.Report.WeekStart); err != nil {
		return wrongValue("report", 1, "week_start", err)
	}
	for i := range c.Sources {
		s := &c.Sources[i]
		if s.Harness == "" || s.Path == "" {
			return wrongValue("source", i+1, "harness", errors.New("harness and path are both needed"))
		}
		if rest, ok := strings.CutPrefix(s.Path, "~/"); ok {
			s.Path = filepath.Join(home, rest)
		}
		if !filepath.IsAbs(s.Path) {
			return wrongValue("source", i+1, "path", fmt.Errorf("%q is not absolute", s.Path))
		}
	}
	if err := c.Pricing.checkURL(); err != nil {
		return wrongValue("pricing", 1, "url", err)
	}
	if _, err := c.Pricing.UpdateEvery(); err != nil {
		return &valueError{table: "pricing", n: 1, key: "auto_update", err: err, told: true}
	}
	if err := CheckAddr(c.Serve.Addr); err != nil {
		return wrongValue("serve", 1, "addr", err)
	}
	for _, host := range c.Serve.Hosts {
		if err := checkHost(host); err != nil {
			return wrongValue("serve", 1, "hosts", err)
		}
	}
	if c.Metrics.Projects < 0 || c.Metrics.Projects > mostProjects {
		return wrongValue("metrics", 1, "projects", fmt.Errorf("not a number from 0 to %d", mostProjects))
	}
	if err := c.Bridge.check(); err != nil {
		return err
	}
	return checkBudgets(c.Budgets)
}

// Zone is the report's zone, nil when the system's is to be taken.
func (r Report) Zone() (*time.Location, error) {
	if r.Timezone == "" {
		return nil, nil
	}
	return meterbridge.Zone(r.Timezone)
}
