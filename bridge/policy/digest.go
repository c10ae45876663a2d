package policy

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"slices"
	"strings"

	"meterbridge/bridge"
	"meterbridge/bridge/schema"
)

// told is everything that an agent or its user is told of a tool. Absent values
// are null.
type told struct {
	Dialect     bridge.Dialect  `json:"dialect"`
	Package     string          `json:"package"`
	Name        string          `json:"name"`
	Title       *string         `json:"title"`
	Description string          `json:"description"`
	Input       json.RawMessage `json:"inputSchema"`
	Output      json.RawMessage `json:"outputSchema"`
	ReadOnly    bool            `json:"readOnly"`
	TimeoutMs   int64           `json:"timeoutMs"`
}

// Told is what a tool's digest is made of, as canonical JSON.
func Told(ext *bridge.Extension, t *bridge.ExtensionTool) (json.RawMessage, error) {
	v := told{
		Dialect: ext.Dialect, Package: ext.Name, Name: t.LocalID, Description: t.Text, Input: t.Input, Output: t.Output,
		ReadOnly: t.ReadOnly, TimeoutMs: t.Timeout.Milliseconds(),
	}
	if t.Title != "" {
		v.Title = &t.Title
	}
	if v.Output == nil {
		v.Output = json.RawMessage("null")
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("digest of %s/%s: %w", ext.Name, t.LocalID, err)
	}
	text, err := schema.Canonical(b.Bytes())
	if err != nil {
		return nil, fmt.Errorf("digest of %s/%s: %w", ext.Name, t.LocalID, err)
	}
	return text, nil
}

// SetDigests gives each tool of an extension its digest.
func SetDigests(ext *bridge.Extension) error {
	for i := range ext.Tools {
		text, err := Told(ext, &ext.Tools[i])
		if err != nil {
			return err
		}
		ext.Tools[i].Digest = sha256.Sum256(text)
	}
	return nil
}

// File is one file of a package.
type File struct {
	// Path has slashes.
	Path       string
	Executable bool
	Size       int64
	SHA256     [sha256.Size]byte
}

// Tree is the digest of a package's files, in whatever order they come.
func Tree(files []File) bridge.Digest {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	sum := sha256.New()
	for _, f := range files {
		bit := 0
		if f.Executable {
			bit = 1
		}
		fmt.Fprintf(sum, "%s\x00%d\x00%d\x00%s\n", f.Path, bit, f.Size, hex.EncodeToString(f.SHA256[:]))
	}
	return bridge.Digest(sum.Sum(nil))
}

// ReadTree is the digest of the package in a folder. What is neither a file nor a
// folder, such as a link, is an error.
func ReadTree(root fs.FS) (bridge.Digest, error) {
	var files []File
	sum := sha256.New()
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, err := readFile(root, path, sum)
		files = append(files, f)
		return err
	})
	if err != nil {
		return bridge.Digest{}, fmt.Errorf("read the package: %w", err)
	}
	return Tree(files), nil
}

func readFile(root fs.FS, path string, sum hash.Hash) (File, error) {
	f, err := root.Open(path)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return File{}, err
	}
	if !info.Mode().IsRegular() {
		return File{}, fmt.Errorf("%s is no regular file", path)
	}
	sum.Reset()
	n, err := io.Copy(sum, f)
	return File{Path: path, Executable: info.Mode()&0o100 != 0, Size: n, SHA256: [sha256.Size]byte(sum.Sum(nil))}, err
}
