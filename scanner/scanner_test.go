package scanner_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"meterbridge/harnesses"
	"meterbridge/internal/testkit"
	"meterbridge/scanner"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// lab is a toy home with a ledger.
type lab struct {
	testing.TB
	home   string
	ledger *testkit.Memory
	opt    scanner.Options
}

func newLab(tb testing.TB) *lab {
	home := tb.TempDir()
	opt := scanner.Options{Env: harnesses.Env{Home: home, OS: "linux"}, Harnesses: []harnesses.Harness{testkit.Toy()}, StoreText: true}
	return &lab{TB: tb, home: home, ledger: &testkit.Memory{}, opt: opt}
}

func (l *lab) path(name string) string { return filepath.Join(l.home, ".toy", name) }

func (l *lab) write(name, content string) {
	l.Helper()
	l.must(os.MkdirAll(filepath.Dir(l.path(name)), 0o755))
	l.must(os.WriteFile(l.path(name), []byte(content), 0o644))
}

func (l *lab) add(name, content string) {
	l.Helper()
	f, err := os.OpenFile(l.path(name), os.O_APPEND|os.O_WRONLY, 0)
	l.must(err)
	_, err = f.WriteString(content)
	l.must(err)
	l.must(f.Close())
}

func (l *lab) must(err error) {
	l.Helper()
	if err != nil {
		l.Fatal(err)
	}
}

func (l *lab) scan() scanner.Result {
	l.Helper()
	s, err := scanner.New(l.ledger, l.opt)
	l.must(err)
	res, err := s.Scan(context.Background())
	l.must(err)
	return res
}

// outputs are the requests of the ledger as "id session output".
func (l *lab) outputs() []string {
	var out []string
	for _, r := range l.ledger.Rows() {
		s := fmt.Sprint(r.NativeID, " ", r.Session, " ", r.Tokens.Output.N)
		if r.Vanished {
			s += " vanished"
		}
		out = append(out, s)
	}
	return out
}

func (l *lab) want(want ...string) {
	l.Helper()
	if d := cmp.Diff(want, l.outputs()); d != "" {
		l.Errorf("requests (-want +got):\n%s", d)
	}
}

func TestScan_GrowingLog(t *testing.T) {
	l := newLab(t)
	l.write("a.log", "m m1\n"+testkit.ToyLine("a", "s", 1, 10)+testkit.ToyLine("a", "s", 5, 11)+testkit.ToyLine("b", "s", 7, 12)+"r c s 9")
	l.scan()
	l.want("a s 5", "b s 7")
	l.add("a.log", " 13\n")
	res := l.scan()
	l.want("a s 5", "b s 7", "c s 9")
	if got := res.Total().BytesRead; got != int64(len("r c s 9 13\n")) {
		t.Errorf("read %d bytes of an appended line, want its own 11", got)
	}
	if r := l.ledger.Rows()[2]; r.Model != "m1" || r.Place.Line != 5 || r.Place.Offset != 38 {
		t.Errorf("resumed request: model %q at line %d, offset %d; want m1, 5, 38", r.Model, r.Place.Line, r.Place.Offset)
	}
}
