package edge

import (
	"sync"

	"meterbridge/bridge"
)

// counts count what each caller has open.
type counts struct {
	mu sync.Mutex
	of map[string]int
}

// take counts one more, unless the caller has most of them.
func (c *counts) take(who bridge.Identity, most int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of[who.Agent] >= most {
		return false
	}
	c.of[who.Agent]++
	return true
}

func (c *counts) leave(who bridge.Identity) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of[who.Agent]--; c.of[who.Agent] <= 0 {
		delete(c.of, who.Agent)
	}
}
