package main

import (
	"net/http"
	"net/http/cookiejar"
	"testing"
)

// newJar keeps cookies as a browser does.
func newJar(t *testing.T) http.CookieJar {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return jar
}
