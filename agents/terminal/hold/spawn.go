package hold

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// startTime is how long a holder may take to start its program.
const startTime = 20 * time.Second

// Spawn starts a holder, by the command line of its program, and connects to it. The
// holder lives on when this process ends.
func Spawn(ctx context.Context, argv []string, job Job) (*Held, error) {
	if err := os.MkdirAll(filepath.Dir(job.Socket), 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of the terminals' sockets: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = string(filepath.Separator), []string{Variable + "=" + job.ID}
	detach(cmd)
	started, err := ask(ctx, cmd, job)
	if err != nil {
		return nil, err
	}
	if started.Fault != "" {
		return nil, errors.New(started.Fault)
	}
	// The program runs: who gave up meanwhile stops it like any other.
	held, err := Dial(context.WithoutCancel(ctx), job.Socket)
	if err != nil {
		_ = cmd.Process.Signal(syscall.SIGTERM) // the holder ends its program, and itself
	}
	return held, err
}

// ask runs the holder's program and reads its answer.
func ask(ctx context.Context, cmd *exec.Cmd, job Job) (Started, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return Started{}, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return Started{}, err
	}
	if err := cmd.Start(); err != nil {
		return Started{}, fmt.Errorf("start a terminal's holder: %w", err)
	}
	var s Started
	said := make(chan error, 1)
	go func() {
		err := errors.Join(json.NewEncoder(in).Encode(job), in.Close())
		if err == nil {
			err = json.NewDecoder(bufio.NewReader(out)).Decode(&s)
		}
		said <- err
		// The holder is waited for when it ends, whenever that is.
		_ = cmd.Wait()
	}()
	select {
	case err = <-said:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		_ = cmd.Process.Kill() // it has said nothing: what it started ends with its terminal
		return Started{}, fmt.Errorf("a terminal's holder did not answer: %w", err)
	}
	return s, nil
}
