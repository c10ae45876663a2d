//go:build unix

package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// sizes tells of each other size of this process's terminal.
func (a *app) sizes(ctx context.Context) <-chan [2]int {
	changed := make(chan os.Signal, 1)
	signal.Notify(changed, syscall.SIGWINCH)
	sizes := make(chan [2]int)
	go func() {
		defer signal.Stop(changed)
		for {
			select {
			case <-ctx.Done():
				return
			case <-changed:
			}
			cols, rows := a.size()
			select {
			case sizes <- [2]int{cols, rows}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return sizes
}
