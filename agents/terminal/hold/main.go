package hold

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
)

// maxJob bounds a job in bytes: an environment and arguments are at most 2 MiB.
const maxJob = 8 << 20

// Main is a holder's program: a job on standard input, the answer on standard output,
// and then its life apart from whoever started it. It returns the exit code.
func Main(in io.Reader, out io.WriteCloser) int {
	var job Job
	if err := json.NewDecoder(io.LimitReader(in, maxJob)).Decode(&job); err != nil || len(job.Argv) == 0 || job.Socket == "" {
		fmt.Fprintln(os.Stderr, "hold: the daemon starts this, with a job on standard input")
		return 2
	}
	// A holder is idle nearly always; one processor and little garbage will do.
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(25)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	// Taken and dropped, not ignored: the program would inherit that.
	signal.Notify(make(chan os.Signal, 1), hangups()...)
	err := Serve(ctx, job, closing{out})
	if err != nil {
		return 1
	}
	return 0
}

// closing closes what it has written to: whoever started the holder reads one answer.
type closing struct{ io.WriteCloser }

func (c closing) Write(b []byte) (int, error) {
	n, err := c.WriteCloser.Write(b)
	if err == nil {
		err = c.Close()
	}
	return n, err
}
