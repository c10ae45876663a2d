package service

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "write the golden definitions") //nolint:gochecknoglobals // a flag of the test binary

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// odd has what a path and a variable may hold on a real machine.
func odd() Definition {
	return Definition{
		Executable: `/home/dev/My "tools"/50% $HOME\bin/meterbridge`, Arguments: []string{"serve", "--addr", "127.0.0.1:7433"},
		Env: []string{"METERBRIDGE_HOME=/home/dev/a & b", "CODEX_HOME=/x<y>"}, Home: "/home/dev",
	}
}

func TestDefinitions_AreTheGoldenOnes(t *testing.T) {
	windows, err := json.MarshalIndent(odd().windows(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	for file, got := range map[string]string{
		"testdata/meterbridge.service": Unit(odd()), "testdata/meterbridge.plist": Plist(odd()), "testdata/windows.json": string(windows) + "\n",
	} {
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), got); d != "" {
			t.Errorf("%s (-want +got):\n%s", file, d)
		}
	}
}

// windows is what the library makes a Windows service of.
func (d Definition) windows() map[string]any {
	c := d.config()
	return map[string]any{
		"name": Name, "displayName": c.DisplayName, "description": c.Description, "executable": c.Executable, "arguments": c.Arguments,
		"environment": c.EnvVars, "startType": c.Option["StartType"], "onFailure": c.Option["OnFailure"],
	}
}

// The agent is well-formed XML.
func TestPlist_IsXML(t *testing.T) {
	d := xml.NewDecoder(strings.NewReader(Plist(odd())))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// systemd itself accepts the unit, where it is installed.
func TestUnit_IsAcceptedBySystemd(t *testing.T) {
	verify, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Log("no systemd-analyze here: the golden file alone holds the unit")
		return
	}
	file := t.TempDir() + "/meterbridge.service"
	d := odd()
	d.Executable = os.Args[0]
	if err := os.WriteFile(file, []byte(Unit(d)), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), verify, "verify", "--user", file).CombinedOutput(); err != nil && strings.Contains(string(out), file) {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestInstall_RefusesTextThatWouldMeanSomethingElse(t *testing.T) {
	for _, bad := range []Definition{{Executable: "/a\nExecStart=/b"}, {Executable: "/a", Arguments: []string{"{{x}}"}}, {Executable: "/a", Env: []string{"A=\x00"}}} {
		if err := Install(bad); !errors.Is(err, ErrText) {
			t.Errorf("%q: %v, want ErrText", bad, err)
		}
	}
}

func TestRun_ServesInATerminal(t *testing.T) {
	want := errors.New("served")
	if err := Run(t.Context(), func(context.Context) error { return want }); !errors.Is(err, want) {
		t.Errorf("%v, want what serve returned", err)
	}
}
