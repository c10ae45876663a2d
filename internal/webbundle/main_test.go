package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDist_IsWhatTheSourcesMake(t *testing.T) {
	dir := filepath.Join("../..", folder)
	made, err := build(dir)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Join(dir, "dist"))
	if err != nil {
		t.Fatal(err)
	}
	var committed []string
	for _, e := range entries {
		committed = append(committed, e.Name())
	}
	if d := cmp.Diff(slices.Sorted(maps.Keys(made)), committed); d != "" {
		t.Fatalf("files of dist; run `go run ./internal/webbundle`:\n%s", d)
	}
	for name, want := range made {
		got, err := os.ReadFile(filepath.Join(dir, "dist", name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("dist/%s is not what the sources make (%v); run `go run ./internal/webbundle`", name, err)
		}
	}
}
