package manifest

import (
	_ "embed"
	"encoding/json"
	"path"
	"slices"
	"strings"
)

//go:embed reserved.json
var reservedText []byte

//go:embed neverwritten.json
var neverWrittenText []byte

//go:embed permissions.json
var permissionsText []byte

// reservedNames is reserved.json. A release is that of the card SDK which added a
// name; "ours" are names that this project keeps.
type reservedNames struct {
	// Packages are names by release, Tools the built-in tools by family and release.
	Packages map[string][]string            `json:"packages"`
	Tools    map[string]map[string][]string `json:"tools"`
	// Prefixes are the beginnings of names of our own tools.
	Prefixes []string `json:"prefixes"`
	// Claims are words that names of others may not have.
	Claims    []string `json:"claims"`
	Variables struct {
		Prefixes []string `json:"prefixes"`
		Names    []string `json:"names"`
		Secrets  []string `json:"secrets"`
	} `json:"variables"`
}

func reservedData() (d reservedNames) {
	_ = json.Unmarshal(reservedText, &d) // a test reads it
	return d
}

// reservedPackage tells since which release a package name is reserved, "" when it
// is free. Dashes and dots are one in exposed names, so they are one here.
func reservedPackage(name string) string {
	for release, names := range reservedData().Packages {
		if slices.Contains(names, strings.ToLower(name)) {
			return release
		}
	}
	return ""
}

// NameFault is why no extension may have an exposed name, "" when one may.
func NameFault(exposed string) string {
	exposed = strings.ToLower(exposed)
	d := reservedData()
	if slices.Contains(builtIns(d), exposed) {
		return exposed + " is the name of a built-in tool"
	}
	if strings.Contains(exposed, "__") {
		return exposed + ": its name for agents would hold __, which clients put between a server and a tool"
	}
	for _, prefix := range d.Prefixes {
		if strings.HasPrefix(exposed, prefix) {
			return exposed + ": names that begin with " + prefix + " are ours"
		}
	}
	return ""
}

// BuiltIns are the names of built-in tools, ours and those of the card product.
func BuiltIns() []string { return builtIns(reservedData()) }

func builtIns(d reservedNames) (names []string) {
	for family, releases := range d.Tools {
		for _, list := range releases {
			for _, name := range list {
				names = append(names, family+name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// PermissionEntry is one permission that there is.
type PermissionEntry struct {
	ID string `json:"id"`
	// Risk is low, medium or high.
	Risk string `json:"risk"`
	// Implies are permissions that come with it.
	Implies []string `json:"implies"`
	// Meaning is for people.
	Meaning string `json:"meaning"`
	// Page: it means something only for a page.
	Page bool `json:"page"`
}

// PermissionTable are all permissions in their fixed order.
func PermissionTable() (table []PermissionEntry) {
	_ = json.Unmarshal(permissionsText, &table) // a test reads it
	return table
}

// NeverWritten tells whether a path, relative to a workspace and with slashes,
// may not be written whatever an extension may do: it would put instructions or
// code into an agent or a build. The caller has resolved links.
func NeverWritten(file string) bool {
	var d struct{ Folders, Paths, Files []string }
	_ = json.Unmarshal(neverWrittenText, &d) // a test reads it
	clean := strings.ToLower(path.Clean("/" + strings.ReplaceAll(file, `\`, "/")))
	segments := strings.Split(clean[1:], "/")
	for i, s := range segments {
		// Windows takes a name with dots or blanks behind it for the name without.
		segments[i] = strings.TrimRight(s, ". ")
	}
	for _, folder := range d.Folders {
		if slices.Contains(segments, strings.ToLower(folder)) {
			return true
		}
	}
	for _, p := range d.Paths {
		if strings.Contains("/"+strings.Join(segments, "/")+"/", "/"+strings.ToLower(p)+"/") {
			return true
		}
	}
	return slices.ContainsFunc(d.Files, func(name string) bool { return strings.EqualFold(name, segments[len(segments)-1]) })
}
