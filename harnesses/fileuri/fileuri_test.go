package fileuri

import "testing"

func TestPath(t *testing.T) {
	for uri, want := range map[string]string{
		"file:///srv/demo-shop":         "/srv/demo-shop",
		"file:///srv/a%20b":             "/srv/a b",
		"file:///c%3A/src/x":            "c:/src/x",
		"file:///C:/src/x":              "C:/src/x",
		"file://server/share/x":         "//server/share/x",
		"file://localhost/srv":          "/srv",
		"/srv/demo":                     "/srv/demo",
		"vscode-remote://ssh%2Bbox/srv": "",
		"":                              "",
		"%zz":                           "",
	} {
		if got := Path(uri); got != want {
			t.Errorf("%q: got %q, want %q", uri, got, want)
		}
	}
}
