// Package forward is what a command hook runs: it hands a payload from standard
// input to the daemon and prints the answer. It never fails, as a harness would show
// that to its user. It starts fast and stays small: it speaks HTTP by hand, and must
// import nothing but the standard library without net/http. cmd/meterbridge-lite
// and cmd/meterbridge use it.
package forward

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

const (
	// dialTime is how long the daemon may take to take the call, exchangeTime until
	// it has answered.
	dialTime     = 50 * time.Millisecond
	exchangeTime = time.Second
	// mostPayload is as much as the daemon takes, in bytes; mostAnswer of an answer.
	mostPayload = 16 << 20
	mostAnswer  = 64 << 10
	// nothing is the answer that has no opinion.
	nothing = "{}"
)

// Places are where payloads go.
type Places struct {
	// Socket is the daemon's, Token the file of the machine's own token, and Spool
	// the file that keeps payloads while no daemon runs.
	Socket, Token, Spool string
}

// Run hands one payload of a harness on and prints the answer. In an agent that the
// daemon started only the hooks of its launch tell (byUser is false there): a
// user's own entry ends at once, so that nothing is counted twice.
func Run(harness string, p Places, getenv func(string) string, in io.Reader, out io.Writer) {
	answer := nothing
	if got := forward(harness, p, getenv, in); got != "" {
		answer = got
	}
	fmt.Fprintln(out, answer)
}

// byUser marks the command line of a user's own settings: `hook HARNESS --user`.
const byUser = "--user"

// Command reads the arguments behind `hook`.
func Command(args []string, p Places, getenv func(string) string, in io.Reader, out io.Writer) {
	if len(args) == 0 {
		fmt.Fprintln(out, nothing)
		return
	}
	if len(args) > 1 && args[1] == byUser && getenv("METERBRIDGE_AGENT") != "" {
		fmt.Fprintln(out, nothing)
		return
	}
	Run(args[0], p, getenv, in, out)
}

func forward(harness string, p Places, getenv func(string) string, in io.Reader) string {
	payload, err := io.ReadAll(io.LimitReader(in, mostPayload+1))
	if err != nil || len(payload) > mostPayload || !word(harness) {
		return ""
	}
	call, err := dial(p, getenv)
	if err != nil {
		keep(p.Spool, harness, getenv, payload, time.Now())
		return ""
	}
	defer call.conn.Close()
	answer, err := call.post(harness, payload)
	if errors.Is(err, errNotTaken) {
		keep(p.Spool, harness, getenv, payload, time.Now())
	}
	return answer
}

// word reports whether a harness's id may stand in a path.
func word(id string) bool {
	return id != "" && len(id) <= 64 && strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// call is one call of the daemon.
type call struct {
	conn        net.Conn
	host, token string
}

// dial calls the daemon at the agent's own address, else at its socket.
func dial(p Places, getenv func(string) string) (call, error) {
	address, token := getenv("METERBRIDGE_HOOK_URL"), getenv("METERBRIDGE_HOOK_TOKEN")
	if address == "" || token == "" {
		text, err := os.ReadFile(p.Token)
		if err != nil {
			return call{}, fmt.Errorf("read the machine's token: %w", err)
		}
		conn, err := net.DialTimeout("unix", p.Socket, dialTime)
		return call{conn, "localhost", strings.TrimSpace(string(text))}, err
	}
	u, err := url.Parse(address)
	if err != nil {
		return call{}, fmt.Errorf("read the address of hooks: %w", err)
	}
	conn, err := net.DialTimeout("tcp", u.Host, dialTime)
	return call{conn, u.Host, token}, err
}

// errNotTaken says that the daemon did not get the payload.
var errNotTaken = errors.New("the payload was not taken")

// post hands the payload over and returns the daemon's answer; empty for none.
func (c call) post(harness string, payload []byte) (string, error) {
	if err := c.conn.SetDeadline(time.Now().Add(exchangeTime)); err != nil {
		return "", errNotTaken
	}
	head := "POST /hooks/" + harness + " HTTP/1.0\r\nHost: " + c.host + "\r\nAuthorization: Bearer " + c.token +
		"\r\nContent-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(payload)) + "\r\n\r\n"
	if _, err := c.conn.Write(append([]byte(head), payload...)); err != nil {
		return "", errNotTaken
	}
	return answer(io.LimitReader(c.conn, mostAnswer))
}

// answer reads an HTTP answer whose connection ends with it.
func answer(from io.Reader) (string, error) {
	r := bufio.NewReader(from)
	first, err := r.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("read the daemon's answer: %w", err)
	}
	fields := strings.Fields(first)
	if len(fields) < 2 || fields[1] != "200" {
		return "", nil
	}
	for line := first; strings.TrimSpace(line) != ""; {
		if line, err = r.ReadString('\n'); err != nil {
			return "", fmt.Errorf("read the daemon's answer: %w", err)
		}
	}
	body, err := io.ReadAll(r)
	if err != nil {
		return "", fmt.Errorf("read the daemon's answer: %w", err)
	}
	return strings.TrimSpace(string(body)), nil
}
