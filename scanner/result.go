package scanner

import (
	"meterbridge"
	"meterbridge/harnesses"
)

// Counts is the work that a scan did.
type Counts struct {
	// Files is the number of sources that are there.
	Files int
	// Opened is the number of sources that were opened, BytesRead what was read
	// of their contents, fingerprints aside.
	Opened    int
	BytesRead int64
	// Whole is the number of known sources that were read again from their start.
	Whole int
	// New, Moved and Gone are sources seen for the first time, under another
	// path, and no more.
	New, Moved, Gone int
	// Requests and Rows are the rows handed to the sink: of model requests, and of
	// all facts. The sink merges those that it has already.
	Requests, Rows int
	// Problems is the number of problems handed to the sink, Unreadable the
	// number of sources that could not be read.
	Problems, Unreadable int
}

func (c *Counts) add(d Counts) {
	c.Files += d.Files
	c.Opened += d.Opened
	c.BytesRead += d.BytesRead
	c.Whole += d.Whole
	c.New += d.New
	c.Moved += d.Moved
	c.Gone += d.Gone
	c.Requests += d.Requests
	c.Rows += d.Rows
	c.Problems += d.Problems
	c.Unreadable += d.Unreadable
}

// RootResult is a place that was looked in.
type RootResult struct {
	harnesses.Root
	// Found: there is something at the path.
	Found bool
}

// HarnessResult is the work done for one harness.
type HarnessResult struct {
	Harness string
	Roots   []RootResult
	Counts
}

// Result is the work of one scan.
type Result struct {
	Harnesses []HarnessResult
	// Units and Commits are what the sink was given.
	Units, Commits int
}

// Total is the work over all harnesses.
func (r Result) Total() Counts {
	var c Counts
	for i := range r.Harnesses {
		c.add(r.Harnesses[i].Counts)
	}
	return c
}

func (s *Scanner) newResult() Result {
	r := Result{Harnesses: make([]HarnessResult, len(s.harnesses))}
	for i := range s.harnesses {
		r.Harnesses[i].Harness = s.harnesses[i].ID
	}
	return r
}

// committed counts a unit that the sink has taken.
func (c *Counts) committed(u *meterbridge.Unit) {
	c.Requests += len(u.Batch.Requests)
	c.Rows += u.Batch.Len()
	c.Problems += len(u.Batch.Problems)
}
