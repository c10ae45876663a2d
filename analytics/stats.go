package analytics

// Stats counts the ledger's work since it was opened; tests hold it against
// what the work should have been.
type Stats struct {
	// Staged counts facts handed to Commit, Written the rows that were inserted or changed.
	Staged, Written int64
	// Requests counts the request rows among Written.
	Requests int64
	// Commits counts transactions, Days the days whose rollup was built.
	Commits, Days int64
	// Repriced counts rows whose list price was computed again.
	Repriced int64
	// Compactions counts rewrites of the request table in time order.
	Compactions int64
}

// Stats are the counts so far.
func (l *Ledger) Stats() Stats {
	l.write.Lock()
	defer l.write.Unlock()
	return l.stats
}
