//go:build !unix

package scanner

import "time"

// cpuTime is not measured here.
func cpuTime() time.Duration { return 0 }
