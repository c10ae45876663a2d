package tomltext

import (
	"strings"
	"testing"
)

func TestTop(t *testing.T) {
	for _, c := range []struct {
		name, file, want string
		ok               bool
	}{
		{"plain", `home = "/srv/a"`, "/srv/a", true},
		{"a literal", `home = 'C:\data\new'`, `C:\data\new`, true},
		{"escapes", `home = "C:\\data\\x \u00e9\U0001F600\t\"q\""`, "C:\\data\\x é😀\t\"q\"", true},
		{"comment, blanks and CRLF", "# home = \"/no\"\r\n\r\n \thome\t=\t\"/srv/a\" # \"/no\"\r\nmodel = \"x\"\r\n", "/srv/a", true},
		{"a byte order mark", "\ufeffhome = \"/srv/a\"", "/srv/a", true},
		{"a quoted key", `"home" = "/srv/a"`, "/srv/a", true},
		{"an escaped key", `"h\u006fme" = "/srv/a"`, "/srv/a", true},
		{"many lines", "home = \"\"\"\n/srv/\\\n   a\"\"\"\n", "/srv/a", true},
		{"many literal lines", "home = '''\n/srv/''a'''''\n", "/srv/''a''", true},
		{"a hash inside", `home = "/srv/#a"`, "/srv/#a", true},
		{"an empty text", `home = ""`, "", true},
		{"behind other values", "a = 1\nb = [\n 1, # ]\n 'x]', [2]\n]\nc = { home = '/no', d = \"}\" }\nd = 1979-05-27 07:32:00\ne = true\nhome = '/srv/a'", "/srv/a", true},
		{"a line of it inside another text", "a = \"\"\"\nhome = \"/no\"\n\"\"\"\nb = 1", "", false},
		{"a line of it in an array", "a = [\n\"\"\"\nhome = '/no'\"\"\"]\n", "", false},
		{"in a table", "[profile]\nhome = '/no'", "", false},
		{"before a table", "home = '/srv/a'\n[x]\nhome = '/no'\nthis is = no = toml", "/srv/a", true},
		{"of a table by a dotted key", "x.home = '/no'", "", false},
		{"a table of that name", "home.x = '/no'", "", false},
		{"another key that begins so", "home2 = '/no'\nhome-x = '/no'", "", false},
		{"a number", "home = 5", "", false},
		{"an array", "home = ['/no']", "", false},
		{"twice", "home = '/a'\nhome = '/b'", "", false},
		{"no end", `home = "/srv/a`, "", false},
		{"a text over two lines", "home = \"/srv\n/a\"", "", false},
		{"something behind", `home = "/srv/a" x`, "", false},
		{"no value", "home =\n'/no'", "", false},
		{"no key", "= '/no'", "", false},
		{"a wrong escape", `home = "C:\data"`, "", false},
		{"a wrong rune", `home = "\ud800"`, "", false},
		{"an escape cut short", `home = "\u12"`, "", false},
		{"no UTF-8", "home = \"/srv/\xff\"", "", false},
		{"nothing", "", "", false},
	} {
		if got, ok := Top([]byte(c.file), "home"); got != c.want || ok != c.ok {
			t.Errorf("%s: %q, %v, want %q, %v\n%s", c.name, got, ok, c.want, c.ok, c.file)
		}
	}
}

// Whatever a file holds, it is read to its end or refused, and a text that is
// written the plain way comes back.
func FuzzTop(f *testing.F) {
	for _, seed := range []string{"home = 'a'", "a = [ { b = \"\"\"x\"\"\" } ]\n", "\"\\", "a.b = '''\n"} {
		f.Add(seed, "/srv/a")
	}
	f.Fuzz(func(t *testing.T, before, value string) {
		Top([]byte(before), "home")
		if strings.ContainsAny(value, "'\n\r") || strings.ToValidUTF8(value, "") != value {
			return
		}
		if got, ok := Top([]byte("home = '"+value+"'\n[x]\n"+strings.ToValidUTF8(before, "")), "home"); !ok || got != value {
			t.Errorf("%q came back as %q, %v", value, got, ok)
		}
	})
}
