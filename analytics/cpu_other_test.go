//go:build !unix

package analytics

import "time"

// cpu is not measured here.
func cpu() time.Duration { return 0 }
