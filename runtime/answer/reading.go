package answer

// Reading describes an answer that the adapter computed from records that it read (R-SCAN-6).
type Reading struct {
	Read      int64 // records of the list that this call read
	Matched   int64 // those of them that match
	Complete  bool  // every record in question was read
	IsOutside bool  // no grant covers any record in question
	UpTo      Mark  // of an incomplete reading: the last record that was read

	Direction   Direction // in which the records were read
	IsLaterPage bool      // the figures omit the records that earlier pages read

	// IsPerConnection says that the rows of one connection follow those of another.
	IsPerConnection bool

	// Note says which rows these are, and why an incomplete reading ended if the page was not full.
	Note string

	// Rows are the rows of the answer, in order; nil if the figures hold for any of them.
	Rows []Mark

	// Ties says of each row whether the next one, which may be on the next page, has an equal value in the order that the
	// adapter made; nil for any other order.
	Ties []bool

	// CursorAfter returns the cursor of the page after the first rows, at least one; nil if no page follows. It sends no
	// request.
	CursorAfter func(rows int) string

	// Rest is the condition for the records that an aggregate omits. It replaces the bound of the caller's filter in the
	// same direction. It may be nil.
	Rest *Bound

	// Unmatched are the conditions of a complete reading without a match (R-SCAN-9, R-CLAIM-3), and Compared the records
	// that they were tested on.
	Unmatched []Unmatched
	Compared  Compared
}

// Bound is a bound of a filter.
type Bound struct{ Field, Operator, Value string }

// Unmatched is a condition on a field in a filter that no record matched.
type Unmatched struct {
	Field  string
	Bounds []Bound  // one without an operator for an exact condition
	Alone  int64    // records that match this condition
	Seen   []string // up to ten distinct values of the field, if no record matches an exact condition
	Values int      // distinct values of the field that were counted; Seen are the first ones
	IsMany bool     // the field has more values, or values that are too long to be counted
	Near   string   // the value that was probably meant; empty if none is close
}

// Compared is the records that a reading compared with a filter.
type Compared int

const (
	AllRecords     Compared = iota // of the stream, as far as the grant covers it
	RecordsInRange                 // of a range of time
	HitRecords                     // of the hits of a search
)

// Mark is a record where a reading may stop.
type Mark struct {
	ID   string // as the resource server sent it; empty for no record
	Time string // value of the field that orders the records; empty if unknown
	Read int64  // records read up to this one

	// Unread are the connections that were not read to their ends; nil if the records of all connections are read in one order.
	Unread []string
}

// Direction is how time goes in a list of records.
type Direction int

const (
	UnknownDirection Direction = iota
	NewestFirst
	OldestFirst
)

// Ending returns the reading of a page that ends after some of its rows, as if the caller had asked for no more.
func (r Reading) Ending(rows int) Reading {
	if rows >= len(r.Rows) || rows == 0 {
		return r
	}
	last := r.Rows[rows-1]
	r.Read, r.Matched, r.Complete, r.UpTo, r.Note = last.Read, int64(rows), false, last, ""
	return r
}
