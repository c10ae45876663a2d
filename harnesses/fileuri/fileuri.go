// Package fileuri turns the file: URIs of editors into paths. It imports only
// the standard library; the parsers of harnesses call it.
package fileuri

import (
	"net/url"
	"strings"
)

// Path is the path that a file: URI names; a drive's letter loses the slash
// before it. What is no such URI is empty, but a plain absolute path stays.
func Path(uri string) string {
	if strings.HasPrefix(uri, "/") {
		return uri
	}
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return ""
	}
	path := u.Path
	if len(path) > 2 && path[0] == '/' && path[2] == ':' {
		path = path[1:]
	}
	if u.Host != "" && u.Host != "localhost" {
		return "//" + u.Host + path
	}
	return path
}
