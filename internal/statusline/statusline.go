// Package statusline is the client's part of the status line: one question to
// the daemon's socket, or the last answer without a daemon. It starts fast and
// stays small: it speaks HTTP by hand, and must import nothing but the standard
// library without net/http. cmd/meterbridge-lite and cmd/meterbridge use it;
// internal/daemon answers at Path.
package statusline

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

// Path is where the daemon answers on its socket: a POST of what a harness told
// its status line on standard input (may be empty), answered by one line.
const Path = "/control/statusline"

const (
	// askTime is how long the daemon may take.
	askTime = time.Second
	// inputTime is how long a harness may take to begin writing to standard input.
	inputTime = 100 * time.Millisecond
	// MaxInput bounds what is read of standard input, in bytes.
	MaxInput = 256 << 10
	maxLine  = 4 << 10
)

// ErrNothing says that no daemon runs and none has left an answer.
var ErrNothing = errors.New("no daemon runs, and none has left a status line")

// Places are where the answer comes from.
type Places struct {
	// Socket is the daemon's, Last the file of its last answer.
	Socket, Last string
}

// Print writes the status line: the daemon's answer, else its last one with the
// time of it.
func Print(p Places, in *os.File, out io.Writer, now time.Time) error {
	line, err := Ask(p.Socket, input(in))
	if err != nil {
		if line, err = last(p.Last, now); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(out, line)
	return err
}

// input is what a harness wrote to standard input; nothing from a terminal, nor
// from a pipe into which nobody writes.
func input(f *os.File) []byte {
	if f == nil {
		return nil
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice != 0 {
		return nil
	}
	read := make(chan []byte, 1)
	go func() {
		text, _ := io.ReadAll(io.LimitReader(f, MaxInput))
		read <- text
	}()
	select {
	case text := <-read:
		return text
	case <-time.After(inputTime):
		return nil // the process ends soon, and the reader with it
	}
}

// Ask asks the daemon at the socket.
func Ask(socket string, in []byte) (string, error) {
	conn, err := net.DialTimeout("unix", socket, askTime)
	if err != nil {
		return "", fmt.Errorf("ask the daemon: %w", err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(askTime)); err != nil {
		return "", fmt.Errorf("ask the daemon: %w", err)
	}
	_, err = fmt.Fprintf(conn, "POST %s HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", Path, len(in), in)
	if err != nil {
		return "", fmt.Errorf("ask the daemon: %w", err)
	}
	return answer(io.LimitReader(conn, maxLine))
}

// answer reads an HTTP answer whose connection ends with it.
func answer(from io.Reader) (string, error) {
	r := bufio.NewReader(from)
	status, err := r.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("read the daemon's answer: %w", err)
	}
	if fields := strings.Fields(status); len(fields) < 2 || fields[1] != "200" {
		return "", fmt.Errorf("the daemon answered %q", strings.TrimSpace(status))
	}
	for line := status; strings.TrimSpace(line) != ""; {
		if line, err = r.ReadString('\n'); err != nil {
			return "", fmt.Errorf("read the daemon's answer: %w", err)
		}
	}
	body, err := io.ReadAll(r)
	if err != nil {
		return "", fmt.Errorf("read the daemon's answer: %w", err)
	}
	return strings.TrimRight(string(body), "\n"), nil
}

// last is the daemon's last answer, with its time.
func last(path string, now time.Time) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", ErrNothing
	}
	at, line, ok := strings.Cut(string(text), "\n")
	ms, err := strconv.ParseInt(at, 10, 64)
	if !ok || err != nil || len(line) > maxLine {
		return "", ErrNothing
	}
	then := time.UnixMilli(ms).In(now.Location())
	format := "15:04"
	if now.Sub(then) >= 24*time.Hour {
		format = "2006-01-02 15:04"
	}
	return strings.TrimSpace(line) + " (as of " + then.Format(format) + ")", nil
}

// Keep is the content of the file of the last answer.
func Keep(line string, at time.Time) []byte {
	return []byte(strconv.FormatInt(at.UnixMilli(), 10) + "\n" + line + "\n")
}
