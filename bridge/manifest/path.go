package manifest

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds of a path in a package.
const (
	MaxPathDepth  = 20
	MaxPathLength = 240
)

// ErrPath says that a package may not hold a path.
var ErrPath = errors.New("a package may not hold this path")

// CheckPath refuses a path, with slashes, that could lead out of its folder or
// mean another file on another system.
func CheckPath(path string) error {
	if utf8.RuneCountInString(path) > MaxPathLength || !utf8.ValidString(path) {
		return refusedPath(path, fmt.Sprintf("it is longer than %d characters", MaxPathLength))
	}
	segments := strings.Split(path, "/")
	if len(segments) > MaxPathDepth {
		return refusedPath(path, fmt.Sprintf("it has more than %d parts", MaxPathDepth))
	}
	if strings.EqualFold(segments[0], "__ns") {
		return refusedPath(path, "__ns is ours")
	}
	for _, s := range segments {
		if why := segmentFault(s); why != "" {
			return refusedPath(path, why)
		}
	}
	return nil
}

// CheckFile refuses a path of a workspace, with slashes, for the reasons for which a
// package may not hold one; how deep it lies does not count.
func CheckFile(path string) error {
	for _, s := range strings.Split(path, "/") {
		if why := segmentFault(s); why != "" {
			if len(path) > 80 {
				path = strings.ToValidUTF8(path[:80], "") + "…"
			}
			return fmt.Errorf("the path %q cannot be used: %s", path, why)
		}
	}
	return nil
}

func refusedPath(path, why string) error {
	if len(path) > 80 {
		path = strings.ToValidUTF8(path[:80], "") + "…"
	}
	return fmt.Errorf("%w: %q: %s", ErrPath, path, why)
}

// segmentFault is what is wrong with a part of a path, "" for nothing.
func segmentFault(s string) string {
	switch {
	case s == "":
		return "it has an empty part or is absolute"
	case s == "." || s == "..":
		return "it has a part " + s
	case strings.ContainsFunc(s, unicode.IsControl):
		return "it has a control character"
	case strings.ContainsAny(s, `<>:"|?*\`):
		return `it has one of < > : " | ? * \`
	case strings.HasSuffix(s, ".") || strings.HasSuffix(s, " "):
		return "a part ends in a dot or a blank"
	case isDevice(s):
		return "a part is the name of a device"
	}
	return ""
}

// isDevice tells whether Windows takes a name for a device, whatever its ending.
func isDevice(s string) bool {
	name, _, _ := strings.Cut(s, ".")
	name = strings.ToLower(strings.TrimRight(name, " "))
	switch name {
	case "con", "prn", "aux", "nul", "conin$", "conout$", "clock$":
		return true
	}
	for _, port := range []string{"com", "lpt"} {
		if n, found := strings.CutPrefix(name, port); found && utf8.RuneCountInString(n) == 1 && strings.Contains("0123456789¹²³", n) {
			return true
		}
	}
	return false
}
