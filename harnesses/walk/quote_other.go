//go:build !amd64

package walk

// wide: no vectors here.
const wide = false

func quote64(*byte, int) int { return -1 }
