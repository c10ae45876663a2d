package analytics

// memory is what the writer remembers between commits.
type memory struct{}
