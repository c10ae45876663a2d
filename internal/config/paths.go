// Package config finds the folders of Meterbridge and reads config.toml. It
// knows the form of settings, not their effect; internal/daemon calls it and
// hands the values on. Of the project it may import the domain only.
package config

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"

	"github.com/adrg/xdg"
)

// Paths are the folders and files of one installation.
type Paths struct {
	// Data holds the ledger and what belongs to it.
	Data string
	// Config holds config.toml and pricing.toml.
	Config string
	// Run holds sockets.
	Run string
}

// HomeVariable puts everything under one folder.
const HomeVariable = "METERBRIDGE_HOME"

// Locate returns the folders that the environment asks for: all below
// METERBRIDGE_HOME when it is set, else those of the XDG base directories as
// they were when the process began.
func Locate(getenv func(string) string) Paths {
	if home := getenv(HomeVariable); home != "" {
		return Paths{Data: home, Config: home, Run: filepath.Join(home, "run")}
	}
	p := Paths{
		Data:   filepath.Join(xdg.DataHome, "meterbridge"),
		Config: filepath.Join(xdg.ConfigHome, "meterbridge"),
	}
	p.Run = filepath.Join(p.Data, "run")
	if dir := getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		p.Run = filepath.Join(dir, "meterbridge")
	}
	return p
}

// longestSocket is the longest path of a socket, in bytes, that every system takes.
const longestSocket = 100

// Socket is the daemon's Unix socket. Where its path is too long for the system it
// lies in a folder of the temporary folder, named by a hash.
func (p Paths) Socket() string {
	path := filepath.Join(p.Run, "daemon.sock")
	if len(path) <= longestSocket {
		return path
	}
	return filepath.Join(p.elsewhere(), "daemon.sock")
}

// Ledger is the DuckDB file.
func (p Paths) Ledger() string { return filepath.Join(p.Data, "ledger.duckdb") }

// Lock is the file whose lock the writer of the ledger holds.
func (p Paths) Lock() string { return filepath.Join(p.Data, "ledger.lock") }

// Settings is config.toml.
func (p Paths) Settings() string { return filepath.Join(p.Config, "config.toml") }

// PriceOverrides is pricing.toml.
func (p Paths) PriceOverrides() string { return filepath.Join(p.Config, "pricing.toml") }

// LastPriceOverrides is a copy of pricing.toml as it was when it could last be
// used.
func (p Paths) LastPriceOverrides() string { return filepath.Join(p.Data, "pricing.last-good.toml") }

// Tokens is the file of the tokens of programs.
func (p Paths) Tokens() string { return filepath.Join(p.Data, "tokens.json") }

// Visits is the file of the browsers that the daemon knows.
func (p Paths) Visits() string { return filepath.Join(p.Data, "browsers.json") }

// ShownMetrics is what metrics showed last.
func (p Paths) ShownMetrics() string { return filepath.Join(p.Data, "metrics.json") }

// LastStatusLine is the daemon's last status line, for when it does not run.
func (p Paths) LastStatusLine() string { return filepath.Join(p.Data, "statusline.txt") }

// Agents is the folder of agents, one below it for each.
func (p Paths) Agents() string { return filepath.Join(p.Data, "agents") }

// Journal tells a daemon which terminals an earlier one has started.
func (p Paths) Journal() string { return filepath.Join(p.Agents(), "journal") }

// sessionName is how long the name of a terminal's socket can be, in bytes.
const sessionName = 30

// Sessions is the folder of the sockets of terminals. As with the daemon's own, one
// whose path is too long lies in the temporary folder.
func (p Paths) Sessions() string {
	dir := filepath.Join(p.Run, "sessions")
	if len(dir)+1+sessionName <= longestSocket {
		return dir
	}
	return p.elsewhere() + "s"
}

// elsewhere is a folder of the temporary folder, named by a hash of the usual one.
func (p Paths) elsewhere() string {
	sum := sha256.Sum256([]byte(p.Run))
	return filepath.Join(os.TempDir(), "meterbridge-"+hex.EncodeToString(sum[:8]))
}

// HookToken is the token of hooks of agents that nobody started here.
func (p Paths) HookToken() string { return filepath.Join(p.Data, "hook-token") }

// HookSpool keeps what hooks told while no daemon ran.
func (p Paths) HookSpool() string { return filepath.Join(p.Data, "hooks-spool.jsonl") }

// Hooks is the folder that remembers which hooks were put into users' settings.
func (p Paths) Hooks() string { return filepath.Join(p.Data, "hooks") }
