package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
)

// Client speaks to the daemon at one socket.
type Client struct {
	path string
	http http.Client
}

// Dial returns a client of the socket at path; nothing is connected yet.
func Dial(path string) *Client {
	return &Client{path: path, http: http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return connect(ctx, path) },
	}}}
}

// Close ends connections that wait for another question.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// HTTP is a client whose requests, whatever their host, reach the daemon.
func (c *Client) HTTP() *http.Client { return &c.http }

// Status asks the daemon what it says of itself.
func (c *Client) Status(ctx context.Context) (Status, error) {
	var s Status
	return s, c.ask(ctx, http.MethodGet, StatusPath, &s)
}

// Link asks for a link that opens the pages once.
func (c *Client) Link(ctx context.Context) (string, error) {
	var answer struct {
		URL string `json:"url"`
	}
	return answer.URL, c.ask(ctx, http.MethodPost, LinkPath, &answer)
}

// Stop asks the daemon to end; it has accepted that when Stop returns.
func (c *Client) Stop(ctx context.Context) error { return c.ask(ctx, http.MethodPost, StopPath, nil) }

func (c *Client) ask(ctx context.Context, method, path string, into any) error {
	resp, err := c.send(ctx, method, path, nil, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return refused(resp)
	}
	if into == nil {
		return nil
	}
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		return fmt.Errorf("read the daemon's answer: %w", err)
	}
	return nil
}

func (c *Client) send(ctx context.Context, method, path string, body []byte, header http.Header) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://localhost"+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("ask the daemon: %w", err)
	}
	for name := range header {
		req.Header.Set(name, header.Get(name))
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, absent(err)
	}
	return resp, nil
}

// absent tells a daemon that is not there from one that fails.
func absent(err error) error {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" && !errors.Is(err, syscall.EACCES) {
		return fmt.Errorf("%w: %w", ErrNoDaemon, err)
	}
	return fmt.Errorf("ask the daemon: %w", err)
}

func refused(resp *http.Response) error {
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 4096))
	return fmt.Errorf("the daemon refused: %s %s", resp.Status, strings.TrimSpace(string(text)))
}

// Command has the daemon run a command line and returns its exit code. The error
// is ErrNoDaemon or ErrOtherData when nothing was run.
func (c *Client) Command(ctx context.Context, call Call, in io.Reader, out, errOut io.Writer) (int, error) {
	body, err := json.Marshal(call)
	if err != nil {
		return 0, fmt.Errorf("write the command: %w", err)
	}
	h := http.Header{}
	h.Set("Connection", "Upgrade")
	h.Set("Upgrade", upgrade)
	h.Set("Content-Type", "application/json")
	resp, err := c.send(ctx, http.MethodPost, CommandPath, body, h)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusSwitchingProtocols:
	case http.StatusConflict:
		return 0, ErrOtherData
	default:
		return 0, refused(resp)
	}
	// Cancelling closes the connection, which the daemon takes for an interrupt.
	stop := context.AfterFunc(ctx, func() { _ = resp.Body.Close() })
	defer stop()
	code, err := attend(resp.Body.(io.ReadWriter), in, out, errOut)
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	return code, err
}

// attend copies a command's output until it ends.
func attend(conn io.ReadWriter, in io.Reader, out, errOut io.Writer) (int, error) {
	for {
		k, content, err := receive(conn)
		if err != nil {
			return 0, fmt.Errorf("the daemon ended before the command did: %w", err)
		}
		switch k {
		case output:
			_, err = out.Write(content)
		case errorOutput:
			_, err = errOut.Write(content)
		case wantInput:
			// It reads as long as the command runs; the process ends with it.
			go feed(&frames{w: conn}, in)
		case exit:
			if len(content) != 1 {
				return 0, errFrame
			}
			return int(content[0]), nil
		default:
			err = errFrame
		}
		if err != nil {
			return 0, err
		}
	}
}

// feed sends standard input to its end.
func feed(f *frames, in io.Reader) {
	if _, err := io.Copy(stream{f, input}, in); err == nil {
		_ = f.send(input, nil)
	}
}
