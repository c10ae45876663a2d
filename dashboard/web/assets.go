package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"

	"meterbridge/dashboard/zipped"
)

//go:embed dist static
var files embed.FS //nolint:gochecknoglobals // embedded data

// assets are the bundles and pictures, at addresses that change with their content.
type assets struct {
	of map[string]asset
}

// asset is one file, as it is and packed.
type asset struct {
	mark, kind   string
	body, packed []byte
}

func openAssets() (*assets, error) {
	a := &assets{of: map[string]asset{}}
	for _, dir := range []string{"dist", "static"} {
		list, err := fs.ReadDir(files, dir)
		if err != nil {
			return nil, fmt.Errorf("read the pages' assets: %w", err)
		}
		for _, e := range list {
			body, err := files.ReadFile(path.Join(dir, e.Name()))
			if err != nil {
				return nil, fmt.Errorf("read the pages' assets: %w", err)
			}
			sum := sha256.Sum256(body)
			one := asset{mark: hex.EncodeToString(sum[:6]), kind: mime.TypeByExtension(path.Ext(e.Name())), body: body}
			if packed := zipped.Bytes(body, gzip.BestCompression); len(packed) < len(body) {
				one.packed = packed
			}
			a.of[e.Name()] = one
		}
	}
	return a, nil
}

// address is where a file is served.
func (a *assets) address(name string) (string, error) {
	one, ok := a.of[name]
	if !ok {
		return "", fmt.Errorf("there is no asset %q", name)
	}
	return "/assets/" + one.mark + "/" + name, nil
}

// ServeHTTP answers /assets/MARK/NAME; a file of another mark is gone.
func (a *assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	mark, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/assets/"), "/")
	one, ok := a.of[name]
	if !ok || mark != one.mark {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", one.kind)
	h.Set("Cache-Control", "private, max-age=31536000, immutable")
	h.Set("Vary", "Accept-Encoding")
	body := one.body
	if one.packed != nil && zipped.Accepted(r) {
		h.Set("Content-Encoding", "gzip")
		body = one.packed
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = bytes.NewReader(body).WriteTo(w)
}
