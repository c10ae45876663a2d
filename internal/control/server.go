package control

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
)

// Streams are a command's standard streams on its caller's terminal.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Daemon is what the socket asks of its daemon.
type Daemon interface {
	// Command runs a command line and returns its exit code.
	Command(ctx context.Context, call Call, s Streams) int
	Status(ctx context.Context) Status
	// Link makes a link that opens the pages once.
	Link() string
	// Stop begins the daemon's end and returns at once.
	Stop()
}

// maxCall bounds a command line in bytes.
const maxCall = 1 << 20

// Handler answers the paths of this package; data is the daemon's data folder.
func Handler(d Daemon, data string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+CommandPath, func(w http.ResponseWriter, r *http.Request) { command(d, data, w, r) })
	mux.HandleFunc("GET "+StatusPath, func(w http.ResponseWriter, r *http.Request) { answer(w, d.Status(r.Context())) })
	mux.HandleFunc("POST "+LinkPath, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]string{"url": d.Link()})
	})
	mux.HandleFunc("POST "+StopPath, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusAccepted)
		d.Stop()
	})
	return mux
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the caller that went away needs no answer
}

func command(d Daemon, data string, w http.ResponseWriter, r *http.Request) {
	var call Call
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxCall)).Decode(&call); err != nil {
		http.Error(w, "the command is malformed", http.StatusBadRequest)
		return
	}
	if call.Data != data {
		http.Error(w, ErrOtherData.Error(), http.StatusConflict)
		return
	}
	if r.Header.Get("Upgrade") != upgrade {
		http.Error(w, "upgrade to "+upgrade, http.StatusUpgradeRequired)
		return
	}
	conn, from, err := takeOver(w, upgrade)
	if err != nil {
		return
	}
	defer conn.Close()
	run(r.Context(), d, call, conn, from)
}

// takeOver changes a request's connection to another protocol.
func takeOver(w http.ResponseWriter, protocol string) (net.Conn, *bufio.Reader, error) {
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, "the connection cannot be taken over", http.StatusInternalServerError)
		return nil, nil, err
	}
	if _, err := io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: "+protocol+"\r\n\r\n"); err != nil {
		return nil, nil, errors.Join(err, conn.Close())
	}
	return conn, buffered.Reader, nil
}

// run runs the command; when the caller's end closes, its context ends.
func run(ctx context.Context, d Daemon, call Call, conn net.Conn, from *bufio.Reader) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f := &frames{w: conn}
	in := newInput(f)
	defer in.pipe.Close()
	go func() {
		defer cancel()
		in.fill(from)
	}()
	code := d.Command(ctx, call, Streams{In: in, Out: stream{f, output}, Err: stream{f, errorOutput}})
	_ = f.send(exit, []byte{byte(code)})
}
