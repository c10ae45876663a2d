package registry

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"meterbridge/bridge"
	"meterbridge/bridge/manifest"
	"meterbridge/bridge/policy"
)

// lastSuffix is the last number that tells tools of one name apart.
const lastSuffix = 99

// Assign gives each tool of the extensions, in their order of installation, its
// exposed name, and returns all names with those that were given before: a name is
// never given anew, so that removing one package does not rename another's tools,
// and a package that comes back has its names back. A tool that no name is left
// for has none.
func Assign(given []policy.Name, list []bridge.Installed) []policy.Name {
	all := slices.Clone(given)
	taken := map[string]bool{}
	for _, n := range all {
		taken[strings.ToLower(n.Exposed)] = true
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b bridge.Installed) int { return int(a.Seq - b.Seq) })
	for _, ext := range list {
		for _, t := range ext.Tools {
			if slices.ContainsFunc(all, func(n policy.Name) bool { return n.Package == ext.Name && n.Tool == t.LocalID }) {
				continue
			}
			if name := free(manifest.Exposed(ext.ShortName, t.LocalID), taken); name != "" {
				taken[name] = true
				all = append(all, policy.Name{Package: ext.Name, Tool: t.LocalID, Exposed: name})
			}
		}
	}
	return all
}

// free is the first name after base that nobody has and that may be given, "" when
// there is none.
func free(base string, taken map[string]bool) string {
	if manifest.NameFault(base) != "" {
		return ""
	}
	for n := 1; n <= lastSuffix; n++ {
		name := base
		if n > 1 {
			suffix := "_" + strconv.Itoa(n)
			// A base that was cut at an underscore would have two of them.
			name = strings.TrimRight(base[:min(len(base), maxName-len(suffix))], "_") + suffix
		}
		if !taken[strings.ToLower(name)] && manifest.NameFault(name) == "" {
			return name
		}
	}
	return ""
}

// ClientPrefix is what clients put before the name of a tool, and ClientLimit how
// long the whole may be for most of them.
const (
	ClientPrefix = "mcp__" + bridge.ServerName + "__"
	ClientLimit  = 64
)

// RoomFor is how long a name may be for a client with a limit on the whole; 0 is
// that of most clients.
func RoomFor(limit int) int {
	if limit <= 0 {
		limit = ClientLimit
	}
	return max(limit-len(ClientPrefix), shortest)
}

// shortest leaves something of a name before the mark.
const shortest = 16

// markLength is that of an underscore and 6 hex digits.
const markLength = 7

// Shorten is a name that is no longer than room: its beginning and a mark made of
// the whole. A name that fits stays.
func Shorten(name string, room int) string {
	if len(name) <= room {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return name[:room-markLength] + "_" + hex.EncodeToString(sum[:3])
}

// Description is what a model is told of an extension's tool: first whose it is,
// in words that the extension cannot end early.
func Description(ext *bridge.Extension, text string) string {
	kind := "Extension"
	if ext.Dialect == bridge.DialectCard {
		kind = "Custom card"
	}
	author := "unknown author"
	if ext.Author != "" {
		author = quiet(ext.Author)
	}
	return fmt.Sprintf("[%s \"%s\" by %s, community code] %s", kind, quiet(ext.DisplayName.Text()), author, text)
}

// quiet takes from a name what would end the bracket or the quotation.
func quiet(name string) string {
	return strings.NewReplacer(`"`, "'", "[", "(", "]", ")", "\n", " ").Replace(name)
}
