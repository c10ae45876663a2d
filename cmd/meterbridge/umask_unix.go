//go:build unix

package main

import "syscall"

// private makes what this process creates the user's alone: the database writes
// its log beside the ledger with the mode that the process allows. It returns the mask
// that was in force, for the programs that the user starts.
func private() *int {
	mask := syscall.Umask(0o077)
	return &mask
}
