package analytics

import (
	"errors"
	"fmt"
)

// ofAgents sums what the budget's agents spent in the stretches: their shares of
// sessions, as `agents usage` has them. A shell spends nothing.
func (b *budgeting) ofAgents(budget *Budget, windows []stretch) (*usageGroup, error) {
	total := &usageGroup{}
	for _, id := range budget.Agents {
		a := &agentSubject{now: milli(b.now)}
		err := a.read(b.ctx, b.c, id)
		if errors.Is(err, ErrShell) || errors.Is(err, ErrNoAgent) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("what agent %s spent: %w", id, err)
		}
		for _, w := range windows {
			if w.harness != "" && w.harness != a.Harness {
				continue
			}
			for i := range a.shares {
				s := &a.shares[i]
				from, to := s.within(milli(w.start), milli(w.end))
				parts, err := s.spent(b.ctx, b.c, from, to)
				if err != nil {
					return nil, fmt.Errorf("what agent %s spent: %w", id, err)
				}
				for _, f := range parts {
					total.figures.add(f)
				}
			}
		}
	}
	return total, nil
}
