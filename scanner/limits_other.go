//go:build !linux && !darwin

package scanner

import "strings"

// machineLimits are not told.
func machineLimits() Limits { return Limits{} }

// defaultWatches bounds the handles that are held.
func defaultWatches(Limits) int { return 4096 }

// watchCost is what it costs to watch a folder, of the limit.
func watchCost(int) int { return 1 }

// remote reports whether a path is that of a share.
func remote(path string) bool { return strings.HasPrefix(path, `\\`) }
