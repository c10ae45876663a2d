package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// source is one parsed Go file of the module, its path relative to the root.
type source struct {
	path string
	file *ast.File
	test bool
}

func (s source) dir() string { return filepath.ToSlash(filepath.Dir(s.path)) }

// area is the first folder of the path; "" for the root package.
func (s source) area() string {
	first, rest, found := strings.Cut(filepath.ToSlash(s.path), "/")
	if !found || rest == "" {
		return ""
	}
	return first
}

func (s source) imports() []string {
	var list []string
	for _, spec := range s.file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err == nil {
			list = append(list, path)
		}
	}
	return list
}

const root = "../.."

// sources parses every Go file of the module, whatever its build tags.
func sources(t *testing.T) []source {
	t.Helper()
	var list []source
	set := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if name != ".." && name != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules") {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		list = append(list, source{path: rel, file: file, test: strings.HasSuffix(name, "_test.go")})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		t.Fatal("no Go files found")
	}
	return list
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
