package scanner

import "meterbridge"

// maxWords bounds a worker's table of words.
const maxWords = 1 << 16

// intern makes equal words share one string, so that a row costs no copies of
// its session, model and project.
type intern struct{ words map[string]string }

func (n *intern) word(last, s *string) {
	switch *s {
	case "":
	case *last:
		*s = *last // the same text, in the memory of the last one
	default:
		*s = n.lookup(*s)
		*last = *s
	}
}

func (n *intern) lookup(s string) string {
	if w, ok := n.words[s]; ok {
		return w
	}
	if n.words == nil || len(n.words) >= maxWords {
		n.words = make(map[string]string)
	}
	n.words[s] = s
	return s
}

func (n *intern) batch(b *meterbridge.Batch) {
	var last meterbridge.Request
	for i := range b.Requests {
		r := &b.Requests[i]
		n.word(&last.Session, &r.Session)
		n.word(&last.Project, &r.Project)
		n.word(&last.Branch, &r.Branch)
		n.word(&last.Model, &r.Model)
		n.word(&last.Provider, &r.Provider)
		n.word(&last.ServiceTier, &r.ServiceTier)
		n.word(&last.Speed, &r.Speed)
		for j, t := range r.Tools {
			r.Tools[j] = n.lookup(t)
		}
	}
	var call meterbridge.ToolCall
	for i := range b.ToolCalls {
		n.word(&call.Session, &b.ToolCalls[i].Session)
		n.word(&call.Name, &b.ToolCalls[i].Name)
	}
}
