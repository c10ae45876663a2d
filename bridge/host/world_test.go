package host

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"meterbridge/bridge"
	"meterbridge/bridge/sandbox"
)

// extensionCommand makes the test binary an extension.
const extensionCommand = "__extension"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case sandbox.Command:
			os.Exit(sandbox.Main(os.Args[2:]))
		case extensionCommand:
			behave(os.Args[2])
			return
		case "__sleep":
			<-time.After(time.Hour)
		}
	}
	goleak.VerifyTestMain(m)
}

// world is a host with one extension, which the test binary plays.
type world struct {
	t    testing.TB
	host *Host
	x    bridge.Installed
	// changed tells of new states, late of answers that came too late.
	changed chan struct{}
	late    chan struct{}
}

const name = "desk"

func newWorld(t testing.TB, behaviour string, change func(*Options, *bridge.Installed)) *world {
	t.Helper()
	dir := t.TempDir()
	w := &world{t: t, changed: make(chan struct{}, 1), late: make(chan struct{}, 100)}
	x := bridge.Installed{Runs: true, Folder: filepath.Join(dir, "package"), Data: filepath.Join(dir, "data")}
	x.Name, x.ShortName, x.Dialect, x.Version = name, name, bridge.DialectProcess, "1.0.0"
	x.Command = []string{os.Args[0], extensionCommand, behaviour}
	for _, tool := range []string{"echo", "slow", "late", "die", "other"} {
		x.Tools = append(x.Tools, bridge.ExtensionTool{LocalID: tool})
	}
	o := Options{
		Version: "1.2.3", Times: Times{Stop: 50 * time.Millisecond, Suspend: 50 * time.Millisecond},
		Changed: func(string) {
			select {
			case w.changed <- struct{}{}:
			default:
			}
		},
		Late: func(string) { w.late <- struct{}{} },
	}
	if change != nil {
		change(&o, &x)
	}
	var err error
	if w.host, err = New(o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.host.Close)
	w.x = x
	w.host.Sync([]bridge.Installed{x})
	return w
}

func (w *world) call(ctx context.Context, tool, args string) (bridge.Result, error) {
	return w.host.Call(ctx, bridge.Invocation{Extension: name, Tool: tool, Args: json.RawMessage(args), Agent: "ag-7", AgentName: "Lead"})
}

// say is a call that must go well, and its text.
func (w *world) say(tool, args string) string {
	w.t.Helper()
	r, err := w.call(w.t.Context(), tool, args)
	if err != nil || len(r.Content) == 0 {
		w.t.Fatalf("%s %s: %v %+v", tool, args, err, r)
	}
	return r.Content[0].Text
}

// until waits for a state.
func (w *world) until(state bridge.RunState) bridge.RunReport {
	w.t.Helper()
	for {
		r := w.host.Report(name)
		if r.State == state {
			return r
		}
		select {
		case <-w.changed:
		case <-w.t.Context().Done():
			w.t.Fatalf("it is %s (%s), not %s", r.State, r.Reason, state)
		case <-time.After(20 * time.Second):
			w.t.Fatalf("it stays %s (%s), not %s; its log:\n%s", r.State, r.Reason, state, must(w.host.Log(name)))
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// child is the extension's side, written without the SDK.
type child struct {
	in   *bufio.Scanner
	mu   sync.Mutex
	id   int
	wait map[int]chan json.RawMessage
}

// ask sends a request and returns where its answer comes.
func (c *child) ask(method string, params any) chan json.RawMessage {
	c.mu.Lock()
	c.id++
	id := c.id
	answer := make(chan json.RawMessage, 1)
	c.wait[id] = answer
	text, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	fmt.Println(string(text))
	c.mu.Unlock()
	return answer
}

func (c *child) respond(call string, result any) chan json.RawMessage {
	return c.ask("tools.respond", map[string]any{"callId": call, "result": result})
}

type invoked struct {
	CallID   string          `json:"callId"`
	Tool     string          `json:"tool"`
	Args     json.RawMessage `json:"args"`
	Agent    map[string]string
	Deadline int64
	Reason   string
	GraceMs  int64
}

// behave plays an extension until its input ends.
func behave(how string) {
	c := &child{in: bufio.NewScanner(os.Stdin), wait: map[int]chan json.RawMessage{}}
	c.in.Buffer(nil, 4<<20)
	hello := map[string]any{"sdkVersion": "0", "protocol": 1, "handlers": []string{"echo", "slow", "late", "die"}}
	switch how {
	case "newer":
		hello["protocol"] = 2
	case "mute":
		<-time.After(time.Hour)
	case "crash":
		os.Exit(3)
	case "refused":
		fmt.Fprintln(os.Stderr, "open /etc/shadow-of-a-test: permission denied")
		os.Exit(1)
	case "garbage":
		fmt.Println("hello, world")
	case "missing":
		hello["handlers"] = []string{"echo"}
	case "family":
		family()
	}
	c.ask("host.ready", hello)
	for c.in.Scan() {
		var m struct {
			ID     int
			Method string
			Params invoked
			Result json.RawMessage
			Error  json.RawMessage
		}
		if json.Unmarshal(c.in.Bytes(), &m) != nil {
			os.Exit(9)
		}
		switch {
		case m.ID > 0:
			c.mu.Lock()
			answer := c.wait[m.ID]
			c.mu.Unlock()
			if m.Error != nil {
				m.Result = m.Error
			}
			answer <- m.Result
		case m.Method == "host.ping" && how != "silent":
			c.ask("host.pong", map[string]int{"seq": 1})
		case m.Method == "tools.call":
			go c.called(how, m.Params)
		case m.Method == "tools.cancel":
			_ = os.WriteFile("cancelled", []byte(m.Params.Reason), 0o600)
			if how == "late" {
				c.respond(m.Params.CallID, "too late")
			}
		case m.Method == "lifecycle.suspend" || m.Method == "lifecycle.shutdown":
			_ = os.WriteFile("ended", []byte(m.Method), 0o600)
		}
	}
}

func (c *child) called(how string, in invoked) {
	var args struct {
		Text, Method string
		Try, At      string
		Params       json.RawMessage
		Size, Steps  int
	}
	_ = json.Unmarshal(in.Args, &args)
	switch in.Tool {
	case "die":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "slow":
	case "other":
		c.respond(in.CallID, "other answered")
	case "echo":
		switch {
		case args.Method != "": // any request of the test's choice
			answer := <-c.ask(args.Method, args.Params)
			c.respond(in.CallID, string(answer))
		case args.Size > 0:
			answer := <-c.respond(in.CallID, strings.Repeat("x", args.Size-2))
			_ = os.WriteFile("respond", answer, 0o600)
		case args.Steps > 0:
			var answers []string
			for i := range args.Steps {
				answers = append(answers, string(<-c.ask("tools.progress", map[string]any{"callId": in.CallID, "message": "step " + strconv.Itoa(i+1)})))
			}
			c.respond(in.CallID, answers)
		case args.Text == "env":
			env := os.Environ()
			slices.Sort(env)
			c.respond(in.CallID, strings.Join(env, "\n"))
		case args.Text == "try":
			c.respond(in.CallID, try(args.Try, args.At))
		case args.Text == "pid":
			c.respond(in.CallID, strconv.Itoa(os.Getpid()))
		default:
			c.respond(in.CallID, map[string]any{"content": []map[string]string{{"type": "text", "text": args.Text + " by " + in.Agent["name"]}}})
		}
	}
}

// try does something that a fence may forbid.
func try(what, at string) string {
	var err error
	switch what {
	case "read":
		_, err = os.ReadFile(at)
	case "write":
		err = os.WriteFile(at, []byte("x"), 0o600)
	case "connect":
		var conn net.Conn
		if conn, err = net.Dial("tcp", at); err == nil {
			err = conn.Close()
		}
	case "files":
		var limit syscall.Rlimit
		if err = syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err == nil && limit.Max != mostOpenFiles {
			return fmt.Sprint("the limit is ", limit.Max)
		}
	}
	if err != nil {
		return err.Error()
	}
	return "ok"
}

// family starts a child in a session of its own and one whose parent is gone,
// and keeps their ids.
func family() {
	var pids []string
	for range 2 {
		c := exec.Command(os.Args[0], "__sleep")
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		if c.Start() == nil {
			pids = append(pids, strconv.Itoa(c.Process.Pid))
		}
	}
	_ = os.WriteFile("family", []byte(strings.Join(pids, " ")), 0o600)
}
