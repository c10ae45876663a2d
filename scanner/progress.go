package scanner

// Progress is told how far a scan is. Add is called by several goroutines.
type Progress interface {
	// Start says what is about to be read of a harness.
	Start(harness string, files int, bytes int64)
	// Add says what was read since the last call.
	Add(harness string, files int, bytes int64)
	// Done says that everything is committed.
	Done()
}

type silent struct{}

func (silent) Start(string, int, int64) {}
func (silent) Add(string, int, int64)   {}
func (silent) Done()                    {}
