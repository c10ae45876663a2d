package terminal

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge/agents/terminal/hold"
	"meterbridge/agents/terminal/process"
	"meterbridge/agents/terminal/screen"
)

// life are the options of a daemon's terminals in a folder; holders hold them.
func life(dir string, holders bool) RackOptions {
	o := RackOptions{Journal: filepath.Join(dir, "terminals.journal")}
	o.Terminal = Options{Folder: dir, Hangup: 300 * time.Millisecond, Terminate: 300 * time.Millisecond}
	if holders {
		o.Terminal.Holder, o.Terminal.Sockets = []string{os.Args[0], "hold"}, filepath.Join(dir, "s")
	}
	return o
}

// crew is how many terminals a daemon of a test has.
const crew = 20

// daemonMain is a daemon that starts terminals, says so, and does nothing more. Every
// fourth ignores hangups.
func daemonMain(dir string, holders bool) int {
	r, err := NewRack(life(dir, holders))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	for i := range crew {
		id := fmt.Sprintf("%s-%d", filepath.Base(dir), i)
		s := Spec{Shell: Bash, Dir: dir, Base: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LANG=C.UTF-8"}}
		if i%4 == 3 {
			s.Shell, s.Argv = "", sh(`trap '' HUP TERM; (trap '' HUP; exec sleep 1000) & echo "ready $$"; while :; do sleep 1; done`).Argv
		}
		if _, err := r.Start(context.Background(), id, s); err != nil {
			fmt.Println(err)
			return 1
		}
	}
	for i := range crew {
		id := fmt.Sprintf("%s-%d", filepath.Base(dir), i)
		if i%4 != 3 {
			if _, err := r.Run(context.Background(), Caller{}, id, fmt.Sprintf("N=%d; echo before the crash", i), 0); err != nil {
				fmt.Println(err)
				return 1
			}
		}
	}
	fmt.Println("up")
	select {}
}

// killed starts a daemon with terminals in a folder and kills it.
func killed(t *testing.T, dir string, holders bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "daemon", dir, fmt.Sprint(holders))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said, err := bufio.NewReader(out).ReadString('\n')
	if killing := cmd.Process.Kill(); killing != nil {
		t.Fatal(killing)
	}
	_ = cmd.Wait() // it was killed
	if said != "up\n" {
		t.Fatalf("the daemon said %q, %v", said, err)
	}
}

// again is the life after a daemon that was killed.
func again(t *testing.T, dir string, holders bool, watch Watch) (*Rack, Adoption) {
	t.Helper()
	o := life(dir, holders)
	o.Watch = watch
	r, err := NewRack(o)
	if err != nil {
		t.Fatal(err)
	}
	a, err := r.Adopt(within(t))
	if err != nil {
		t.Fatal(err)
	}
	return r, a
}

// crewOf are the living processes of a test's terminals, holders included.
func crewOf(t *testing.T, dir string) []string {
	t.Helper()
	all, err := process.List()
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, p := range all {
		for _, v := range process.Environ(p.PID) {
			for _, name := range []string{"METERBRIDGE_AGENT=", hold.Variable + "="} {
				if id, ok := strings.CutPrefix(v, name); ok && strings.HasPrefix(id, filepath.Base(dir)+"-") {
					found = append(found, fmt.Sprint(v, " ", p.PID))
				}
			}
		}
	}
	return found
}

func gone(t *testing.T, dir string) {
	t.Helper()
	if left := crewOf(t, dir); len(left) > 0 {
		t.Errorf("left running:\n%s", strings.Join(left, "\n"))
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "s", "*")); len(names) > 0 {
		t.Errorf("sockets are left: %v", names)
	}
	if open, err := readJournal(filepath.Join(dir, "terminals.journal")); err != nil || len(open) > 0 {
		t.Errorf("the journal has open entries: %+v, %v", open, err)
	}
}

func TestAdopt_TerminalsGoOnAfterTheDaemonWasKilled(t *testing.T) {
	dir := sockets(t)
	killed(t, dir, true)
	r, a := again(t, dir, true, Watch{Event: func(_ string, _ int, e screen.Event) {
		if e.Kind == screen.Bell {
			t.Error("an event of the earlier life was told again")
		}
	}})
	// Others on this machine may have terminals too.
	a.Left = slices.DeleteFunc(a.Left, func(l Left) bool { return !strings.HasPrefix(l.Terminal, filepath.Base(dir)+"-") })
	if len(a.Adopted) != crew || len(a.Swept) != 0 || len(a.Left) != 0 {
		t.Errorf("adopted %d, swept %+v, left %+v", len(a.Adopted), a.Swept, a.Left)
	}
	for i := range crew {
		id := fmt.Sprintf("%s-%d", filepath.Base(dir), i)
		term, err := r.Terminal(id)
		if err != nil {
			t.Fatal(err)
		}
		if i%4 == 3 {
			shows(t, term, "ready")
			continue
		}
		shows(t, term, "before the crash\n")
		got, err := r.Run(within(t), Caller{}, id, "echo $N; (exit 7)", 0)
		if diff := cmp.Diff(Result{Code: code(7), Output: fmt.Sprintln(i)}, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", id, err, diff)
		}
	}
	next, err := r.Start(within(t), a.Adopted[0].ID, Spec{Argv: []string{"true"}})
	if err == nil {
		t.Errorf("a second program in an adopted terminal: %+v", next)
	}
	if err := r.Close(within(t)); err != nil {
		t.Error(err)
	}
	gone(t, dir)
}

func TestAdopt_WhatNobodyHoldsIsEnded(t *testing.T) {
	dir := sockets(t)
	killed(t, dir, true)
	all, err := process.List()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, p := range all {
		for _, v := range process.Environ(p.PID) {
			if id, ok := strings.CutPrefix(v, hold.Variable+"="+filepath.Base(dir)+"-"); ok && len(id) == 1 {
				process.Signal(p, 9)
				n++
			}
		}
	}
	if n != 10 {
		t.Fatalf("%d holders were killed, want 10", n)
	}
	r, a := again(t, dir, true, Watch{})
	if len(a.Adopted) != crew-10 || len(a.Swept) != 10 {
		t.Errorf("adopted %d, swept %+v", len(a.Adopted), a.Swept)
	}
	stubborn := 0
	for _, s := range a.Swept {
		if len(s.Ended) > 0 {
			stubborn++
		}
	}
	if stubborn < 2 { // 3 and 7 ignore hangups
		t.Errorf("swept %+v: the two that ignore hangups are not among what was ended", a.Swept)
	}
	if left := crewOf(t, dir); len(left) < crew-10 || slices.ContainsFunc(left, func(s string) bool {
		_, id, _ := strings.Cut(s, "=")
		id, _, _ = strings.Cut(id, " ")
		return len(id) == len(filepath.Base(dir))+2
	}) {
		t.Errorf("running after the sweep:\n%s", strings.Join(left, "\n"))
	}
	if err := r.Close(within(t)); err != nil {
		t.Error(err)
	}
	gone(t, dir)
}

func TestAdopt_WithoutHoldersEverythingIsEnded(t *testing.T) {
	dir := sockets(t)
	killed(t, dir, false)
	r, a := again(t, dir, false, Watch{})
	if len(a.Adopted) != 0 || len(a.Swept) != crew {
		t.Errorf("adopted %+v, swept %d", a.Adopted, len(a.Swept))
	}
	if err := r.Close(within(t)); err != nil {
		t.Error(err)
	}
	gone(t, dir)
}

// A holder that the journal does not know is no terminal of this life.
func TestAdopt_WhatTheJournalDoesNotKnowIsEnded(t *testing.T) {
	dir := sockets(t)
	killed(t, dir, true)
	if err := os.Remove(filepath.Join(dir, "terminals.journal")); err != nil {
		t.Fatal(err)
	}
	r, a := again(t, dir, true, Watch{})
	if len(a.Adopted) != 0 || len(a.Swept) != crew {
		t.Errorf("adopted %+v, swept %d", a.Adopted, len(a.Swept))
	}
	if err := r.Close(within(t)); err != nil {
		t.Error(err)
	}
	gone(t, dir)
}

// What ended while no daemon ran is told to the next one.
func TestAdopt_TheEndMeanwhileIsTold(t *testing.T) {
	dir := sockets(t)
	killed(t, dir, true)
	for _, s := range crewOf(t, dir) {
		var pid int
		if _, err := fmt.Sscanf(s, "METERBRIDGE_AGENT="+filepath.Base(dir)+"-0 %d", &pid); err == nil {
			if p, ok := process.Of(pid); ok {
				process.Signal(p, 1)
			}
		}
	}
	ended := make(chan State, crew)
	r, _ := again(t, dir, true, Watch{Ended: func(id string, s State) {
		if id == filepath.Base(dir)+"-0" {
			ended <- s
		}
	}})
	if s := <-ended; s.Phase != Exited || s.Signal != "SIGHUP" || s.Generation != 1 {
		t.Errorf("%+v", s)
	}
	if err := r.Close(within(t)); err != nil {
		t.Error(err)
	}
	gone(t, dir)
}

// A holder that dies takes its terminal with it, and nothing stays.
func TestHolder_ThatIsKilled(t *testing.T) {
	dir := sockets(t)
	ended := make(chan State, 1)
	o := life(dir, true)
	o.Watch.Ended = func(_ string, s State) { ended <- s }
	r, err := NewRack(o)
	if err != nil {
		t.Fatal(err)
	}
	id := filepath.Base(dir) + "-x"
	if _, err := r.Start(within(t), id, spec(t, sh(`trap '' HUP; sleep 1000 & echo ready; while :; do wait; sleep 1; done`))); err != nil {
		t.Fatal(err)
	}
	term, err := r.Terminal(id)
	if err != nil {
		t.Fatal(err)
	}
	shows(t, term, "ready")
	term.mu.Lock()
	held := term.program.line.(*hold.Held)
	term.mu.Unlock()
	process.Signal(held.State().Holder, 9)
	if s := <-ended; s.Phase != Exited || s.Code != -1 || s.Signal != hold.Lost {
		t.Errorf("%+v", s)
	}
	if err := r.Close(within(t)); err != nil {
		t.Error(err)
	}
	if left := crewOf(t, dir); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestHolder_GivesTheUsersUmask(t *testing.T) {
	mask := 0o027
	o := life(sockets(t), true)
	o.Terminal.Umask = &mask
	term := New("umask", o.Terminal)
	begin(t, term, sh("umask; sleep 1000"))
	shows(t, term, "0027")
}

// A start that cannot be reached any more leaves nothing running.
func TestHolder_ThatCannotBeReached(t *testing.T) {
	dir := sockets(t)
	id := filepath.Base(dir) + "-x"
	job := hold.Job{ID: id, Generation: 1, Socket: filepath.Join(dir, "x.sock")}
	job.Argv, job.Cols, job.Rows = []string{"sh", "-c", "rm " + job.Socket + "; sleep 1000"}, 80, 24
	job.Env = []string{"PATH=" + os.Getenv("PATH"), "METERBRIDGE_AGENT=" + id}
	job.Patience = process.Patience{Hangup: time.Second, Terminate: time.Second}
	for range 5 {
		held, err := hold.Spawn(within(t), []string{os.Args[0], "hold"}, job)
		if err != nil {
			break
		}
		// It was faster than rm.
		process.SignalGroup(held.Leader().PID, 9)
		for b := make([]byte, 9); err == nil; {
			_, err = held.Read(b)
		}
		held.Close()
	}
	for end := time.Now().Add(limit); len(crewOf(t, dir)) > 0; {
		if time.Now().After(end) {
			t.Fatalf("left running: %v", crewOf(t, dir))
		}
	}
}

func TestHolder_TellsNobodyItsJob(t *testing.T) {
	o := life(sockets(t), true)
	term := New("job", o.Terminal)
	s := sh("echo ready; sleep 1000")
	s.Env = []string{"A_SECRET=of-the-program"}
	begin(t, term, s)
	shows(t, term, "ready")
	holder := term.program.line.(*hold.Held).State().Holder.PID
	for _, file := range []string{"cmdline", "environ"} {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", holder, file))
		if err != nil || strings.Contains(string(text), "of-the-program") {
			t.Errorf("%s: %q, %v", file, text, err)
		}
	}
	names, err := filepath.Glob(filepath.Join(o.Terminal.Sockets, "*"))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	for name, want := range map[string]os.FileMode{names[0]: 0o600, o.Terminal.Sockets: 0o700} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %v", name, info.Mode(), err, want)
		}
	}
}

// Every other test holds for terminals in holders too.
func TestHolder_DoesAllThatATerminalDoes(t *testing.T) {
	if *inHolders {
		t.Skip("this is that run")
	}
	cmd := exec.Command(os.Args[0], "-held", "-test.skip", "Adopt|Journal|Holder|Rates")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestJournal_ReadsWhatACrashHasCut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	text := `{"event":"spawns","id":"a","generation":1}
{"event":"runs","id":"a","generation":1,"leader":{"pid":5,"start":6}}
{"event":"spawns","id":"b","generation":2}
{"event":"ends","id":"a","generation":1}
{"event":"spawns","id":"a","generation":2}
not a line of ours
{"event":"runs","id":"b","gene`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	open, err := readJournal(path)
	want := []entry{{Event: "spawns", ID: "b", Generation: 2}, {Event: "spawns", ID: "a", Generation: 2}}
	if diff := cmp.Diff(want, open); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}
