package main

import (
	"fmt"
	"io"
)

// fields prints names and values, one a line, the values in one column.
type fields struct {
	out io.Writer
	err error
}

func (f *fields) line(name, value string) {
	if f.err == nil {
		_, f.err = fmt.Fprintf(f.out, "%-12s  %s\n", name, plain(value))
	}
}
