package answer

import "time"

// Limit is a limit of a grant that the question of an answer reaches past (R-CLAIM-1). Of what is outside it, nothing is
// known.
type Limit struct {
	Stream       string    // or * for all
	ConnectionID string    // empty: of every connection in question
	Since, Until time.Time // bounds of the granted records, Until exclusive; zero: no bound, or not exceeded
	IsOutside    bool      // no grant covers any of the time range of the question
	Records      int       // only so many records are granted; 0: no limit
	FieldCount   int       // of the granted fields; 0: all, or not known to be limited
	Fields       string    // their names, separated by commas; empty: many, or FieldCount is 0
	Lacking      string    // fields that only another grant of the stream has, separated by commas; empty: none
}
