//go:build !unix

package main

import "context"

// sizes: the system does not tell of other sizes.
func (a *app) sizes(context.Context) <-chan [2]int { return nil }
