package conformance

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"meterbridge/harnesses"
	"meterbridge/harnesses/all"
)

// TestHarnesses_AreNamedInTheirFolderOnly: what the rest must know of a harness
// it declares itself. Tests, documents and the price table are exempt.
func TestHarnesses_AreNamedInTheirFolderOnly(t *testing.T) {
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name == "testdata" || (name != ".." && strings.HasPrefix(name, ".")) {
				return filepath.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil || !isProduction(rel) {
			return err
		}
		for _, named := range namesIn(t, path) {
			if !strings.HasPrefix(filepath.ToSlash(rel), folderOf(named)) && !homonym(filepath.ToSlash(rel), named) {
				t.Errorf("%s names the harness %q", rel, named)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// isProduction reports whether a Go file serves no test.
func isProduction(rel string) bool {
	rel = filepath.ToSlash(rel)
	if filepath.Ext(rel) != ".go" || strings.HasSuffix(rel, "_test.go") {
		return false
	}
	for _, exempt := range []string{"harnesses/all/", "internal/testkit/", "internal/conformance/", "internal/corpus/", "internal/bench/", "internal/peers/"} {
		if strings.HasPrefix(rel, exempt) {
			return false
		}
	}
	return true
}

// homonym reports whether an id is an ordinary word where it stands: the cursor
// of a page, the statement continue. These areas know no harness at all.
func homonym(rel, id string) bool {
	switch id {
	case "cursor", "continue", "warp", "vibe", "amp":
		area, _, _ := strings.Cut(rel, "/")
		return area == "bridge" || area == "dashboard" || area == "hub" || area == "pricing"
	case "opencode":
		// Databases that builds of Kilo Code left have the name of the store that they
		// are of.
		return rel == "harnesses/kilocode/kilocode.go"
	}
	return false
}

// folderOf is the folder of a harness, which may name it.
func folderOf(id string) string { return "harnesses/" + strings.ReplaceAll(id, "-", "") + "/" }

// namesIn are the ids of harnesses that stand in string literals of a Go file.
func namesIn(t *testing.T, path string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	ast.Inspect(file, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return true
		}
		text, err := strconv.Unquote(lit.Value)
		if err != nil {
			return true
		}
		for _, h := range all.Harnesses() {
			if text == h.ID {
				out = append(out, h.ID)
			}
		}
		return true
	})
	return out
}

// TestHarnesses_DeclareThemselves holds declarations to the contract.
func TestHarnesses_DeclareThemselves(t *testing.T) {
	seen := map[string]bool{}
	for _, h := range all.Harnesses() {
		switch {
		case seen[h.ID]:
			t.Errorf("%s is listed twice", h.ID)
		case h.Name == "" || h.ParserVersion < 1:
			t.Errorf("%s: name %q, parser version %d; want both", h.ID, h.Name, h.ParserVersion)
		case h.Roots == nil || h.Claim == nil:
			t.Errorf("%s has no roots or claims nothing", h.ID)
		}
		seen[h.ID] = true
		env := harnesses.Env{Home: filepath.FromSlash("/home/dev"), OS: "linux", Getenv: func(string) string { return "" }}
		for _, r := range h.Roots(env) {
			if !filepath.IsAbs(r.Path) {
				t.Errorf("%s: root %q is not absolute", h.ID, r.Path)
			}
		}
	}
}
