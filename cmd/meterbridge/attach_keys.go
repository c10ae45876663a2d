package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// detachKeys are the keys that leave a terminal, one after the other.
type detachKeys struct {
	first  []byte
	second byte
}

// String implements pflag.Value.
func (k *detachKeys) String() string {
	if len(k.first) == 0 {
		return ""
	}
	return "ctrl-" + strings.ToLower(string(k.first[0]+'@')) + "," + string(k.second)
}

// Type implements pflag.Value.
func (k *detachKeys) Type() string { return "KEYS" }

// Set implements pflag.Value.
func (k *detachKeys) Set(text string) error {
	name, second, _ := strings.Cut(text, ",")
	key, ok := strings.CutPrefix(strings.ToLower(name), "ctrl-")
	if !ok || len(key) != 1 || len(second) != 1 || second[0] <= ' ' || second[0] > '~' {
		return fmt.Errorf("%q is not like ctrl-\\,d", text)
	}
	c := bytes.ToUpper([]byte(key))[0]
	if c < 'A' || c > '_' || c == '[' {
		return fmt.Errorf("%q is no key that Ctrl makes another of", key)
	}
	k.first, k.second = []byte{c - '@'}, second[0]
	return nil
}

// detacher is standard input up to the keys that leave the terminal.
type detacher struct {
	in   io.Reader
	keys detachKeys
	// armed is the first key, which waits for the next one.
	armed []byte
	// rest is what is to be handed on.
	rest []byte
	left bool
}

// Read implements io.Reader.
func (d *detacher) Read(p []byte) (int, error) {
	buf := make([]byte, 4096)
	for len(d.rest) == 0 {
		if d.left {
			return 0, io.EOF
		}
		n, err := d.in.Read(buf)
		d.take(buf[:n])
		if err != nil && len(d.rest) == 0 {
			return 0, err
		}
	}
	n := copy(p, d.rest)
	d.rest = d.rest[n:]
	return n, nil
}

// take looks for the keys in what was typed.
func (d *detacher) take(b []byte) {
	for len(b) > 0 {
		if n := d.first(b); n > 0 && d.armed == nil {
			d.armed, b = append([]byte{}, b[:n]...), b[n:]
			continue
		}
		if d.armed != nil && b[0] == d.keys.second {
			d.left = true
			return
		}
		d.rest = append(append(d.rest, d.armed...), b[0])
		d.armed, b = nil, b[1:]
	}
}

// first is the length of the first key that b begins with, which is another one when
// the program has asked for keys by their numbers (CSI 92;5u); 0 for none.
func (d *detacher) first(b []byte) int {
	if bytes.HasPrefix(b, d.keys.first) {
		return len(d.keys.first)
	}
	plain := strings.ToLower(string(d.keys.first[0] + '@'))
	if numbered := fmt.Appendf(nil, "\x1b[%d;5u", plain[0]); bytes.HasPrefix(b, numbered) {
		return len(numbered)
	}
	return 0
}
