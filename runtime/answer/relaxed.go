package answer

// Relaxed describes a search that has no hit as given (R-FIND-1, R-FIND-2).
type Relaxed struct {
	Words      []RelaxedWord // words that were searched alone or in other forms, in this order; nil: none
	Found      int           // hits, also those beyond the limit
	Searches   int           // for other words and forms, and in another mode
	Unsearched []string      // words of the query that were not searched alone
	ByMeaning  bool          // a mode that compares meanings was tried
	Complete   bool          // every source answered, and compared all of its records
}

// RelaxedWord is a word that was searched alone.
type RelaxedWord struct {
	Word    string
	Forms   []string // that have hits: the word, or other forms of it
	Hits    int
	HasMore bool // there are more hits than these
}
