package manifest

import (
	"cmp"
	"strings"
)

// isVersion: major.minor.patch without leading zeros, optional pre-release and
// build, up to 64 characters.
func isVersion(s string) bool {
	if len(s) > 64 {
		return false
	}
	s, build, hasBuild := strings.Cut(s, "+")
	core, pre, hasPre := strings.Cut(s, "-")
	if hasBuild && !identifiers(build, true) || hasPre && !identifiers(pre, false) {
		return false
	}
	parts := strings.Split(core, ".")
	for _, part := range parts {
		if !numeric(part) || part != "0" && part[0] == '0' {
			return false
		}
	}
	return len(parts) == 3
}

func numeric(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool { return c < '0' || c > '9' })
}

// identifiers: parts of letters, digits and hyphens between dots; zeros may lead
// a numeric one in a build only.
func identifiers(s string, zeros bool) bool {
	for part := range strings.SplitSeq(s, ".") {
		if part == "" || !letters(asciiLower(part), digits+"-") || !zeros && numeric(part) && part != "0" && part[0] == '0' {
			return false
		}
	}
	return true
}

// CompareVersions is negative when a is the older of two semantic versions, 0 when
// neither is. A text that is none is newer than all that are.
func CompareVersions(a, b string) int {
	if okA, okB := isVersion(a), isVersion(b); !okA || !okB {
		return cmp.Compare(rank(okB), rank(okA))
	}
	a, _, _ = strings.Cut(a, "+")
	b, _, _ = strings.Cut(b, "+")
	coreA, preA, hasA := strings.Cut(a, "-")
	coreB, preB, hasB := strings.Cut(b, "-")
	if c := compareParts(coreA, coreB); c != 0 {
		return c
	}
	if hasA != hasB {
		return cmp.Compare(rank(hasB), rank(hasA)) // a pre-release comes before its release
	}
	return compareParts(preA, preB)
}

func rank(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func compareParts(a, b string) int {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(as), len(bs)) {
		if c := comparePart(as[i], bs[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(as), len(bs))
}

func comparePart(a, b string) int {
	switch numA, numB := numeric(a), numeric(b); {
	case numA && numB:
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	case numA != numB:
		return cmp.Compare(rank(numB), rank(numA))
	}
	return cmp.Compare(a, b)
}
