package editors

import (
	"path/filepath"
	"testing"

	"meterbridge/harnesses"
)

func TestUser(t *testing.T) {
	home := filepath.FromSlash("/home/dev")
	abs, err := filepath.Abs(filepath.FromSlash("/moved"))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		os, variable, want string
	}{
		{"linux", "", filepath.Join(home, ".config", "Code", "User")},
		{"linux", "XDG_CONFIG_HOME", filepath.Join(abs, "Code", "User")},
		{"darwin", "XDG_CONFIG_HOME", filepath.Join(home, "Library", "Application Support", "Code", "User")},
		{"windows", "", filepath.Join(home, "AppData", "Roaming", "Code", "User")},
		{"windows", "APPDATA", filepath.Join(abs, "Code", "User")},
	}
	for _, tt := range tests {
		env := harnesses.Env{Home: home, OS: tt.os, Getenv: func(name string) string {
			if name == tt.variable {
				return abs
			}
			return ""
		}}
		if got := User(env, "Code"); got != tt.want {
			t.Errorf("%s with %q: got %s, want %s", tt.os, tt.variable, got, tt.want)
		}
		if all := Users(env); all[0] != tt.want || len(all) != len(Names())+len(servers()) {
			t.Errorf("%s: %v", tt.os, all)
		}
	}
}
