package config

import (
	"os"
	"path/filepath"
	"strings"
	"time"
	_ "time/tzdata" // zones must be right on machines without a zone database

	"meterbridge"
)

// SystemZone is the system's zone under its IANA name: TZ, else the target of
// /etc/localtime, else /etc/timezone, else UTC.
func SystemZone(getenv func(string) string) *time.Location {
	if name := strings.TrimPrefix(getenv("TZ"), ":"); name != "" {
		if loc, err := meterbridge.Zone(zoneName(name)); err == nil {
			return loc
		}
	}
	if target, err := filepath.EvalSymlinks("/etc/localtime"); err == nil {
		if loc, err := meterbridge.Zone(zoneName(target)); err == nil {
			return loc
		}
	}
	if text, err := os.ReadFile("/etc/timezone"); err == nil {
		if loc, err := meterbridge.Zone(strings.TrimSpace(string(text))); err == nil {
			return loc
		}
	}
	if _, offset := time.Now().Zone(); offset != 0 {
		return time.Local
	}
	return time.UTC
}

// zoneName is the part of a path behind ".../zoneinfo/"; a plain name stays.
func zoneName(path string) string {
	if _, name, ok := strings.Cut(path, "zoneinfo/"); ok {
		return strings.TrimPrefix(strings.TrimPrefix(name, "posix/"), "right/")
	}
	return path
}
