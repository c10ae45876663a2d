//go:build unix

package main

import "syscall"

// private makes what this process creates the user's alone: the database writes
// its log beside the ledger with the mode that the process allows.
func private() { syscall.Umask(0o077) }
