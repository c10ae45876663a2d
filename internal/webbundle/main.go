// Command webbundle makes dashboard/web/dist out of dashboard/web/src and the
// vendored packages in dashboard/web/npm: `go run ./internal/webbundle`. It needs
// neither Node nor a network. It imports esbuild, which no program of the house
// links, and nothing of the project; a test of it compares what is committed.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
)

// folder is that of the pages, from the root of the module.
const folder = "dashboard/web"

func main() {
	if err := write(folder); err != nil {
		fmt.Fprintln(os.Stderr, "webbundle:", err)
		os.Exit(1)
	}
}

// write builds and replaces what lies in dist.
func write(dir string) error {
	files, err := build(dir)
	if err != nil {
		return err
	}
	dist := filepath.Join(dir, "dist")
	if err := os.RemoveAll(dist); err != nil {
		return err
	}
	if err := os.MkdirAll(dist, 0o755); err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dist, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// build makes the bundles, by their file names.
func build(dir string) (map[string][]byte, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	entries, err := filepath.Glob(filepath.Join(abs, "src", "entry", "*"))
	if err != nil || len(entries) == 0 {
		return nil, fmt.Errorf("no entry in %s/src/entry: %w", dir, errors.Join(err, os.ErrNotExist))
	}
	npm := filepath.Join(abs, "npm")
	made := api.Build(api.BuildOptions{
		EntryPoints: entries, Outdir: filepath.Join(abs, "dist"), AbsWorkingDir: abs,
		Bundle: true, MinifySyntax: true, MinifyWhitespace: true, MinifyIdentifiers: true,
		Format: api.FormatESModule, Target: api.ES2022, LegalComments: api.LegalCommentsEndOfFile, Charset: api.CharsetUTF8,
		Alias: map[string]string{
			"htmx.org": filepath.Join(npm, "htmx.org", "htmx.esm.js"), "uplot": filepath.Join(npm, "uplot", "uPlot.esm.js"),
			"@xterm/xterm": filepath.Join(npm, "xterm", "xterm.mjs"), "@xterm/addon-fit": filepath.Join(npm, "addon-fit", "addon-fit.mjs"),
			"xterm.css": filepath.Join(npm, "xterm", "xterm.css"), "uplot.css": filepath.Join(npm, "uplot", "uPlot.min.css"),
		},
	})
	files := map[string][]byte{}
	for _, m := range made.Errors {
		err = errors.Join(err, errors.New(m.Text))
		if m.Location != nil {
			err = errors.Join(err, fmt.Errorf("%s:%d", m.Location.File, m.Location.Line))
		}
	}
	for _, f := range made.OutputFiles {
		files[filepath.Base(f.Path)] = f.Contents
	}
	return files, err
}
