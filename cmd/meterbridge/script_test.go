package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"meterbridge/internal/demo"
)

// TestScripts runs the command line as a user would, over the bundled example.
func TestScripts(t *testing.T) {
	bin := t.TempDir()
	if err := os.Symlink(os.Args[0], filepath.Join(bin, "meterbridge")); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, "home")
			e.Setenv("HOME", home)
			e.Setenv("METERBRIDGE_HOME", filepath.Join(e.WorkDir, "data"))
			e.Setenv("TZ", "UTC")
			e.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
			e.Setenv(asProgram, "1")
			return os.CopyFS(home, demo.Home())
		},
	})
}
