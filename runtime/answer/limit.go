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
	Lacking      string    // fields that only another grant of the stream has, separated by commas; empty: none
}
