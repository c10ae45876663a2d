package control

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// cat is a terminal whose program writes what is typed, until that is an end of file.
type cat struct{ closed chan struct{} }

func (c cat) Attach(_ context.Context, a Attachment) (Viewer, func() Ended, error) {
	if a.Agent != "cat" {
		return nil, nil, &Refusal{Text: "no such agent", Hint: "look", Nothing: true}
	}
	v := view{cat: c, out: make(chan []byte, 100)}
	v.out <- fmt.Appendf(nil, "%d×%d ", a.Cols, a.Rows)
	code := 7
	return v, func() Ended { return Ended{Code: &code} }, nil
}

type view struct {
	cat
	out chan []byte
}

func (v view) Next(ctx context.Context) ([]byte, int64, error) {
	select {
	case b := <-v.out:
		if i := bytes.IndexByte(b, 4); i >= 0 {
			return nil, 0, io.EOF
		}
		return b, 0, nil
	case <-ctx.Done():
		return nil, 0, ctx.Err()
	}
}

func (v view) Write(_ context.Context, b []byte) error {
	v.out <- b
	return nil
}

func (v view) Resize(cols, rows int) error {
	v.out <- fmt.Appendf(nil, "%d×%d ", cols, rows)
	return nil
}

func (v view) Close() { close(v.closed) }

func attachable(t *testing.T) (*Client, cat) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run", "daemon.sock")
	l, err := Listen(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	c := cat{make(chan struct{})}
	mux := http.NewServeMux()
	mux.Handle("POST "+AttachPath, AttachHandler(c, "/data"))
	server := &http.Server{Handler: mux}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(l)
	}()
	client := Dial(path)
	t.Cleanup(func() {
		client.Close()
		_ = server.Close()
		<-done
	})
	return client, c
}

func TestAttach_CarriesKeysSizesAndTheEnd(t *testing.T) {
	client, terminal := attachable(t)
	keys, typed := io.Pipe()
	defer keys.Close()
	shown, out := io.Pipe()
	sizes := make(chan [2]int)
	var ended Ended
	over := make(chan error)
	go func() {
		var err error
		ended, err = client.Attach(t.Context(), Attachment{Agent: "cat", Cols: 90, Rows: 30, Data: "/data"}, Screen{In: keys, Out: out, Sizes: sizes})
		over <- err
	}()
	shows := func(want string) {
		t.Helper()
		got := make([]byte, len(want))
		if _, err := io.ReadFull(shown, got); err != nil || string(got) != want {
			t.Fatalf("%q, %v; want %q", got, err, want)
		}
	}
	shows("90×30 ")
	if _, err := typed.Write([]byte("hello\x00\xff")); err != nil {
		t.Fatal(err)
	}
	shows("hello\x00\xff")
	sizes <- [2]int{50, 20}
	shows("50×20 ")
	if _, err := typed.Write([]byte{4}); err != nil {
		t.Fatal(err)
	}
	code := 7
	if err, diff := <-over, cmp.Diff(Ended{Code: &code}, ended); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	<-terminal.closed
}

func TestAttach_EndOfKeysDetaches(t *testing.T) {
	client, terminal := attachable(t)
	_, err := client.Attach(t.Context(), Attachment{Agent: "cat", Data: "/data"}, Screen{In: bytes.NewReader([]byte("x")), Out: io.Discard})
	if !errors.Is(err, ErrDetached) {
		t.Errorf("%v", err)
	}
	<-terminal.closed
}

func TestAttach_TellsWhyNot(t *testing.T) {
	client, _ := attachable(t)
	_, err := client.Attach(t.Context(), Attachment{Agent: "dog", Data: "/data"}, Screen{In: bytes.NewReader(nil), Out: io.Discard})
	var told *Refusal
	if !errors.As(err, &told) {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&Refusal{Text: "no such agent", Hint: "look", Nothing: true}, told); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := client.Attach(t.Context(), Attachment{Agent: "cat", Data: "/other"}, Screen{}); !errors.Is(err, ErrOtherData) {
		t.Errorf("another installation: %v", err)
	}
}
