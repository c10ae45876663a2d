package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"meterbridge/internal/config"
	"meterbridge/internal/demo"
)

// OpenDemo opens a scratch installation over the bundled example logs. Closing
// it removes everything; the user's own logs, ledger and settings are not touched.
func OpenDemo(ctx context.Context, o Options) (*Meter, error) {
	dir, err := os.MkdirTemp("", "meterbridge-demo-")
	if err != nil {
		return nil, fmt.Errorf("make a scratch folder for the demo: %w", err)
	}
	home := filepath.Join(dir, "home")
	if err := os.CopyFS(home, demo.Home()); err != nil {
		return nil, errors.Join(fmt.Errorf("unpack the demo: %w", err), os.RemoveAll(dir))
	}
	real := o.Getenv
	o.Home = home
	// Nothing of the user's environment may lead back to the user's own logs.
	o.Getenv = func(name string) string {
		if name == "TZ" {
			return real(name)
		}
		return ""
	}
	o.Paths = &config.Paths{Data: filepath.Join(dir, "data"), Config: filepath.Join(dir, "config"), Run: filepath.Join(dir, "run")}
	m, err := Open(ctx, o)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	m.scratch = dir
	return m, nil
}
