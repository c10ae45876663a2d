package holder

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestArgv_PrefersTheSmallProgram(t *testing.T) {
	dir := t.TempDir()
	own := filepath.Join(dir, "meterbridge")
	lite := filepath.Join(dir, "meterbridge-lite")
	for _, c := range []struct {
		name string
		make func() error
		want []string
	}{
		{"none", func() error { return nil }, []string{own, "__hold"}},
		{"a file that is no program", func() error { return os.WriteFile(lite, nil, 0o600) }, []string{own, "__hold"}},
		{"the program", func() error { return os.Chmod(lite, 0o700) }, []string{lite, "hold"}},
	} {
		if err := c.make(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, Argv(own)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
