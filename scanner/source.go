package scanner

import (
	"errors"
	"fmt"
	"io/fs"

	"meterbridge"
)

// checkpoint begins the checkpoint of a source that is read from its start.
func (s *Scanner) checkpoint(f *file, k *meterbridge.Checkpoint) meterbridge.Checkpoint {
	h := &s.harnesses[f.harness]
	c := meterbridge.Checkpoint{
		Harness: h.ID, Kind: f.kind.Name, Path: f.path, Machine: f.machine,
		Device: f.device, Inode: f.inode, Size: f.size, ModTime: f.modTime, Companion: f.companion,
		Parser: h.ParserVersion, Generation: 1,
	}
	if k != nil {
		c.Source, c.Generation = k.Source, k.Generation+1
	}
	return c
}

// unreadableUnit says that a source is there and cannot be read. What was read
// of it stays committed, and it is tried again at each scan.
func (s *Scanner) unreadableUnit(f *file, k *meterbridge.Checkpoint, err error) meterbridge.Unit {
	c := s.checkpoint(f, nil)
	if k != nil {
		c = *k
	}
	c.Size, c.Gone, c.Path = unread, false, f.path
	return meterbridge.Unit{Checkpoint: c, Batch: meterbridge.Batch{Problems: []meterbridge.Problem{problemOf(err)}}}
}

// problemOf words an error without the path, which the source has.
func problemOf(err error) meterbridge.Problem {
	var at *fs.PathError
	detail := err
	if errors.As(err, &at) {
		detail = fmt.Errorf("%s: %w", at.Op, at.Err)
	}
	reason := "unreadable"
	var known interface{ Reason() string } // parsers of databases tell what is wrong with one
	switch {
	case errors.Is(err, errNotAFile):
		reason = "not-a-file"
	case errors.As(err, &known):
		reason = known.Reason()
	}
	return meterbridge.Problem{Reason: reason, Detail: detail.Error()}
}
