package conformance

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"meterbridge/harnesses"
	"meterbridge/harnesses/all"
	"meterbridge/internal/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testdata = "../../testdata/harnesses"

// forEachFixture runs a law over every case of every harness.
func forEachFixture(t *testing.T, law func(t *testing.T, f *fixture)) {
	for _, h := range all.Harnesses() {
		for _, dir := range caseDirs(t, h.ID) {
			t.Run(h.ID+"/"+filepath.Base(dir), func(t *testing.T) {
				t.Parallel()
				law(t, load(t, h, dir))
			})
		}
	}
}

func caseDirs(t *testing.T, id string) []string {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(testdata, id, "*", "want.json"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range dirs {
		dirs[i] = filepath.Dir(dirs[i])
	}
	return dirs
}

// reference is the ledger of a fixture that is read whole, once.
func (f *fixture) reference(t *testing.T) *testkit.Memory {
	t.Helper()
	ledger := &testkit.Memory{}
	f.scan(t, f.build(t).env, ledger)
	return ledger
}

func TestFixtures_ReadWholeAsWanted(t *testing.T) {
	forEachFixture(t, func(t *testing.T, f *fixture) {
		if d := compare(f.want, found(f.reference(t))); d != "" {
			t.Errorf("%s:\n%s", f.dir, d)
		}
	})
}

func TestFixtures_ReadTwice(t *testing.T) {
	forEachFixture(t, func(t *testing.T, f *fixture) {
		home, ledger := f.build(t), &testkit.Memory{}
		f.scan(t, home.env, ledger)
		rows := ledger.Rows()
		again := f.scan(t, home.env, ledger)
		if c := again.Total(); c.Opened-c.Unreadable > 0 || again.Commits > 0 {
			t.Errorf("a second scan opened %d files and made %d commits, want none", c.Opened, again.Commits)
		}
		f.harness.ParserVersion++
		f.scan(t, home.env, ledger)
		if d := cmp.Diff(identities(rows), identities(ledger.Rows())); d != "" {
			t.Errorf("read again by another version of the parser (-first +second):\n%s", d)
		}
		if d := compare(f.want, found(ledger)); d != "" && f.want["problems"] == nil {
			t.Errorf("read again, against want.json:\n%s", d)
		}
	})
}

// identities are what must not change when the same logs are read again.
func identities(rows []testkit.Row) map[string]string {
	out := map[string]string{}
	for _, r := range rows {
		text := object.text(ofRequest(&r.Request), ofRequest(&r.Request))
		if r.Vanished {
			text += " vanished"
		}
		out[string(cmpID(r))] = text
	}
	return out
}

func cmpID(r testkit.Row) []byte { id := r.ID(); return id[:] }

func TestHarnesses_HaveFixtures(t *testing.T) {
	registered := map[string]harnesses.Harness{}
	for _, h := range all.Harnesses() {
		registered[h.ID] = h
		if len(caseDirs(t, h.ID)) == 0 && h.Declaration.UsageReadable {
			t.Errorf("%s has readable usage and no case in testdata/harnesses/%s", h.ID, h.ID)
		}
	}
	folders, err := os.ReadDir(testdata)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, f := range folders {
		if _, ok := registered[f.Name()]; !ok && f.IsDir() {
			t.Errorf("testdata/harnesses/%s is the folder of no harness", f.Name())
		}
	}
}
