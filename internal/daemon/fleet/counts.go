package fleet

import "meterbridge"

// Counts are how many agents and terminals do what, by harness and status. Those that
// have ended are not counted; a harness that is known has a number for each status, so
// that none vanishes while nobody has it.
func (f *Fleet) Counts() map[string]map[string]int {
	of := map[string]map[string]int{}
	for _, a := range f.agents.List("") {
		if of[a.Harness] == nil {
			of[a.Harness] = map[string]int{}
			for _, s := range []meterbridge.Status{meterbridge.Working, meterbridge.NeedsInput, meterbridge.Finished, meterbridge.Idle} {
				of[a.Harness][string(s)] = 0
			}
		}
		if a.Status != meterbridge.Exited {
			of[a.Harness][string(a.Status)]++
		}
	}
	return of
}
