package daemon

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"meterbridge/internal/config"
	"meterbridge/internal/pricefile"
	"meterbridge/pricing"
)

// A pricing.toml that cannot be used must not stop a report, nor price the
// ledger anew: the file's last good state stays in force. As each command is a
// process of its own, a copy of that state lies in the data folder.

// ledgerPrices are the prices of an installation with a ledger: where the user's
// file cannot be used, those of its last good state and a warning.
func ledgerPrices(paths config.Paths, c config.Config, o Options) *Prices {
	p, refused := loadPrices(paths, c, o.Now)
	if refused == nil {
		return p
	}
	stands := "the prices of its last good state stay"
	last := pricing.Files{Dir: paths.Data, User: paths.LastPriceOverrides(), ParseUser: pricefile.Parse}
	if table, _, err := pricing.Load(last); err == nil {
		p.table = table
	}
	if _, err := os.Stat(last.User); err != nil {
		stands = "list prices are those of the table alone"
	}
	p.user, p.refused = nil, true
	p.warn = append(p.warn, fmt.Sprintf("prices: %v; %s until it is mended (docs/guide.md, section Prices, has an example)", refused, stands))
	return p
}

// keepUser makes the copy of the user's file, which is good. The lock is held.
func (p *Prices) keepUser(paths config.Paths) {
	if p.refused {
		return
	}
	file := paths.LastPriceOverrides()
	before, err := os.ReadFile(file)
	switch {
	case p.user == nil && errors.Is(err, fs.ErrNotExist), p.user != nil && err == nil && bytes.Equal(before, p.user):
		return
	case p.user == nil:
		err = os.Remove(file)
	default:
		err = replaceFile(file, p.user)
	}
	if err != nil {
		p.warn = append(p.warn, fmt.Sprintf("prices: keep a copy of pricing.toml: %v", err))
	}
}

// replaceFile writes a file beside its place and moves it there, so that one
// that is cut off never stands for a good one.
func replaceFile(path string, content []byte) error {
	beside := path + ".tmp"
	if err := os.WriteFile(beside, content, 0o600); err != nil {
		return err
	}
	return os.Rename(beside, path)
}
