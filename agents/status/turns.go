package status

import "slices"

// rememberedTurns is how many ids of turns are known to have been.
const rememberedTurns = 64

// turnIDs are the harness's ids of the agent's turns.
type turnIDs struct {
	// current is that of the newest turn; empty where it has none. seen has those
	// before it too.
	current string
	seen    []string
	// automatic: the harness began the newest turn by itself.
	automatic bool
}

// known reports whether a turn was seen before.
func (l *turnIDs) known(id string) bool { return slices.Contains(l.seen, id) }

func (l *turnIDs) begin(id string, automatic bool) {
	l.current, l.automatic = id, automatic
	if id == "" || l.known(id) {
		return
	}
	if len(l.seen) >= rememberedTurns {
		l.seen = slices.Delete(l.seen, 0, 1)
	}
	l.seen = append(l.seen, id)
}
