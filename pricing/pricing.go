// Package pricing holds the price table, the model matcher and the arithmetic
// that turns the tokens of one request into its list price. It imports the
// domain and nothing else of the project; the ledger prices rows with it, the
// command line and the dashboard ask it questions. It never touches the network
// unless an update is asked for.
package pricing

import "meterbridge"

// Price is the list price of one request.
type Price struct {
	// List is null when the request has no list price (unknown model, mode or
	// gateway, own server), and when it is not Paid.
	List meterbridge.NullPico
	// Key says how List came about: "provider/id|interval start|step|variant|flags".
	// For a paid request without a price it is "unpriced|reason"; empty when not Paid.
	Key string
	// Paid: the request has a token or a fee, so it counts as priced or unpriced.
	Paid bool
}
