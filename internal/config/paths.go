// Package config finds the folders of Meterbridge and reads config.toml. It
// knows the form of settings, not their effect; internal/daemon calls it and
// hands the values on. It must import no other package of the project.
package config

import (
	"path/filepath"

	"github.com/adrg/xdg"
)

// Paths are the folders and files of one installation.
type Paths struct {
	// Data holds the ledger and what belongs to it.
	Data string
	// Config holds config.toml and pricing.toml.
	Config string
}

// HomeVariable puts everything under one folder.
const HomeVariable = "METERBRIDGE_HOME"

// Locate returns the folders that the environment asks for: all below
// METERBRIDGE_HOME when it is set, else those of the XDG base directories as
// they were when the process began.
func Locate(getenv func(string) string) Paths {
	if home := getenv(HomeVariable); home != "" {
		return Paths{Data: home, Config: home}
	}
	return Paths{
		Data:   filepath.Join(xdg.DataHome, "meterbridge"),
		Config: filepath.Join(xdg.ConfigHome, "meterbridge"),
	}
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
