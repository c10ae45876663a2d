package service

import (
	"encoding/xml"
	"path/filepath"
	"strings"
)

// Plist is the launchd agent of a definition.
func Plist(d Definition) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>` + Label + `</string>
  <key>ProgramArguments</key>
  <array>
`)
	for _, arg := range append([]string{d.Executable}, d.Arguments...) {
		b.WriteString("    <string>" + escaped(arg) + "</string>\n")
	}
	b.WriteString("  </array>\n")
	if len(d.Env) > 0 {
		b.WriteString("  <key>EnvironmentVariables</key>\n  <dict>\n")
		for _, variable := range d.Env {
			key, value, _ := strings.Cut(variable, "=")
			b.WriteString("    <key>" + escaped(key) + "</key>\n    <string>" + escaped(value) + "</string>\n")
		}
		b.WriteString("  </dict>\n")
	}
	log := escaped(filepath.ToSlash(d.Home) + "/Library/Logs/meterbridge.log")
	b.WriteString(`  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ProcessType</key>
  <string>Background</string>
  <key>Umask</key>
  <integer>63</integer>
  <key>StandardErrorPath</key>
  <string>` + log + `</string>
</dict>
</plist>
`)
	return b.String()
}

func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder takes everything
	return b.String()
}
