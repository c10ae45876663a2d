package archtest

import (
	"go/ast"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
)

func TestPackages_SayWhatTheyAre(t *testing.T) {
	documented := map[string]bool{}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		documented[s.dir()] = documented[s.dir()] || s.file.Doc != nil
	}
	for dir, ok := range documented {
		if !ok {
			t.Errorf("%s: no package comment", dir)
		}
	}
}

func TestNames_AreNotVague(t *testing.T) {
	for _, s := range sources(t) {
		name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(s.path), ".go"), "_test")
		for _, n := range []string{name, filepath.Base(s.dir()), s.file.Name.Name} {
			if slices.Contains(refusedNames(), n) {
				t.Errorf("%s: %q says nothing", s.path, n)
			}
		}
	}
}

func TestInterfaces_AreSmall(t *testing.T) {
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || !spec.Name.IsExported() {
				return true
			}
			if face, ok := spec.Type.(*ast.InterfaceType); ok && face.Methods.NumFields() > 4 {
				t.Errorf("%s: interface %s has %d methods", s.path, spec.Name.Name, face.Methods.NumFields())
			}
			return true
		})
	}
}

func TestErrors_DoNotSayFailedTo(t *testing.T) {
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && strings.Contains(strings.ToLower(lit.Value), "failed to ") {
				t.Errorf("%s: %s", s.path, lit.Value)
			}
			return true
		})
	}
}

func TestGoroutines_AreWatchedForLeaks(t *testing.T) {
	starts, watched := map[string]string{}, map[string]bool{}
	for _, s := range sources(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				if !s.test {
					starts[s.dir()] = s.path
				}
			case *ast.SelectorExpr:
				if id, ok := n.X.(*ast.Ident); ok && id.Name == "goleak" {
					watched[s.dir()] = true
				}
			}
			return true
		})
	}
	for dir, path := range starts {
		if !watched[dir] {
			t.Errorf("%s starts a goroutine, but no test of %s uses goleak", path, dir)
		}
	}
}

// TestSizes prints the largest files and functions; it never fails.
func TestSizes(t *testing.T) {
	type entry struct {
		lines int
		what  string
	}
	var files, funcs []entry
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		files = append(files, entry{strings.Count(read(t, s.path), "\n"), s.path})
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				text := read(t, s.path)
				start, end := int(f.Pos()-s.file.FileStart), int(f.End()-s.file.FileStart)
				funcs = append(funcs, entry{strings.Count(text[start:end], "\n") + 1, s.path + " " + f.Name.Name})
			}
		}
	}
	for _, list := range [][]entry{files, funcs} {
		sort.Slice(list, func(i, j int) bool { return list[i].lines > list[j].lines })
		for _, e := range list[:min(20, len(list))] {
			t.Logf("%5d lines  %s", e.lines, e.what)
		}
	}
}
