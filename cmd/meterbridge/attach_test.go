package main

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func TestDetacher_EndsAtItsKeysOnly(t *testing.T) {
	for _, c := range []struct{ keys, in, want string }{
		{`ctrl-\,d`, "ls\rmore", "ls\rmore"},
		{`ctrl-\,d`, "ab\x1cdlost", "ab"},
		{`ctrl-\,d`, "\x1c\x1cd", "\x1c\x1cd"},
		{`ctrl-\,d`, "a\x1cxb", "a\x1cxb"},
		{`ctrl-\,d`, "a\x1b[92;5udx", "a"},
		{`ctrl-\,d`, "a\x1b[92;5ux", "a\x1b[92;5ux"},
		{`ctrl-Q,x`, "a\x1cd\x11xb", "a\x1cd"},
	} {
		var keys detachKeys
		if err := keys.Set(c.keys); err != nil {
			t.Fatal(err)
		}
		for name, in := range map[string]io.Reader{"at once": strings.NewReader(c.in), "key by key": keyByKey(c.in)} {
			got, err := io.ReadAll(&detacher{in: in, keys: keys})
			if diff := cmp.Diff(c.want, string(got)); diff != "" || err != nil {
				t.Errorf("%q of %q, %s: %v (-want +got):\n%s", c.keys, c.in, name, err, diff)
			}
		}
	}
}

// keyByKey reads single bytes, but a key's sequence whole, as terminals send it.
func keyByKey(text string) io.Reader {
	if strings.Contains(text, "\x1b[") {
		return strings.NewReader(text)
	}
	return iotest.OneByteReader(strings.NewReader(text))
}

func TestDetachKeys_AreTwoKeys(t *testing.T) {
	for _, text := range []string{"", "d", "ctrl-d", "ctrl-dd,x", "ctrl-1,d", "ctrl-[,d", "ctrl-a,", "ctrl-a,\x01", "alt-a,d"} {
		var keys detachKeys
		if err := keys.Set(text); err == nil {
			t.Errorf("%q: %q", text, keys.String())
		}
	}
	var keys detachKeys
	if err := keys.Set(`ctrl-\,d`); err != nil || keys.String() != `ctrl-\,d` {
		t.Errorf("%q, %v", keys.String(), err)
	}
}
