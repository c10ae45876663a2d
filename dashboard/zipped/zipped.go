// Package zipped packs answers for clients that take gzip. It imports nothing of
// the project; dashboard/api and dashboard/web call it.
package zipped

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"slices"
	"strings"
)

// From is the size in bytes from which on packing pays.
const From = 1024

// Bytes is the body packed at a level of compress/gzip.
func Bytes(body []byte, level int) []byte {
	var out bytes.Buffer
	z, _ := gzip.NewWriterLevel(&out, level)
	_, _ = z.Write(body)
	_ = z.Close()
	return out.Bytes()
}

// Accepted reports whether the client takes gzip.
func Accepted(r *http.Request) bool {
	for _, list := range r.Header.Values("Accept-Encoding") {
		for _, part := range strings.Split(list, ",") {
			name, weight, _ := strings.Cut(part, ";")
			if strings.EqualFold(strings.TrimSpace(name), "gzip") {
				return !slices.Contains([]string{"q=0", "q=0.0", "q=0.00", "q=0.000"}, strings.ReplaceAll(weight, " ", ""))
			}
		}
	}
	return false
}
