package status

import (
	"time"

	"meterbridge"
)

// OutputSense is what output alone tells of an agent.
type OutputSense int

// The senses.
const (
	// NoSense: other sources tell the status.
	NoSense OutputSense = iota
	// AnyOutput is a plain command: output is work, none for a while is the end.
	AnyOutput
	// MuchOutput is a harness that tells nothing: several changes within a short
	// time are work. It is a guess.
	MuchOutput
)

const (
	commandQuiet = 2500 * time.Millisecond
	agentQuiet   = 3 * time.Second
	burst        = 2 * time.Second
	burstChanges = 3
)

// output is what was printed when.
type output struct {
	sense OutputSense
	last  time.Time
	// recent are the changes of the last burst, works whether they were work.
	recent []time.Time
	works  bool
}

// due is when silence means that the work ended; zero while there is none.
func (o *output) due() time.Time {
	switch {
	case !o.works:
		return time.Time{}
	case o.sense == AnyOutput:
		return o.last.Add(commandQuiet)
	}
	return o.last.Add(agentQuiet)
}

// Output says that the terminal printed something.
func (t *Tracker) Output() {
	t.input(func(now time.Time) {
		o := &t.output
		o.last = now
		if o.sense == NoSense || !t.running || !o.changed(now) {
			return
		}
		o.works = true
		t.step(Signal{Kind: Work, At: now}, meterbridge.FromOutput, meterbridge.Guessed)
	})
}

// changed takes a change and reports whether there is work.
func (o *output) changed(now time.Time) bool {
	if o.sense == AnyOutput {
		return true
	}
	for len(o.recent) > 0 && now.Sub(o.recent[0]) > burst {
		o.recent = o.recent[1:]
	}
	o.recent = append(o.recent, now)
	if len(o.recent) > burstChanges+1 {
		o.recent = o.recent[1:]
	}
	return len(o.recent) > burstChanges
}

// quietened ends the work that output alone told of.
func (t *Tracker) quietened(now time.Time) {
	t.output.works, t.output.recent = false, nil
	t.step(Signal{Kind: Finish, At: now}, meterbridge.FromOutput, meterbridge.Guessed)
}
