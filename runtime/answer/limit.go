package answer

import "time"

// Limit is a limit of a grant that the question of an answer reaches past (R-CLAIM-1). Of what is outside it, nothing is
// known.
type Limit struct {
	Stream       string    // or * for all
	ConnectionID string    // empty: of every connection in question
	Since, Until time.Time // records from Since on and before Until are granted; zero: the question has no earlier or later ones
	Records      int       // only so many records are granted; 0: no limit
	Lacking      string    // fields that only another grant of the stream has, separated by commas; empty: none
}
