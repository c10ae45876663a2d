package ext

import (
	"errors"
	"strings"
)

// ErrNUL says that an argument cannot be quoted.
var ErrNUL = errors.New("an argument cannot hold a NUL")

// Quote builds a line for a POSIX shell (fish takes it too) out of a program and
// its arguments, so that what an agent or a file put into an argument stays one.
func Quote(argv ...string) (string, error) {
	words := make([]string, len(argv))
	for i, arg := range argv {
		switch {
		case strings.ContainsRune(arg, 0):
			return "", ErrNUL
		case plain(arg):
			words[i] = arg
		default:
			// A backslash means something between fish's quotes, so it stands outside.
			words[i] = "'" + strings.NewReplacer("'", `'\''`, `\`, `'\\'`).Replace(arg) + "'"
		}
	}
	return strings.Join(words, " "), nil
}

// plain tells whether no shell sees anything but letters in a word.
func plain(arg string) bool {
	for i, c := range arg {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.ContainsRune("_@%+:,./-", c):
		case c == '=' && i > 0:
		default:
			return false
		}
	}
	return arg != ""
}
