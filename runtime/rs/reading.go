package rs

// Reading says that the adapter made an answer itself, of records that it read (R-SCAN-6).
type Reading struct {
	Read     int64 // records of the list that were looked at, in this call alone
	Matched  int64 // of them
	Complete bool  // nothing of what was asked for is unread
	UpTo     Mark  // of a reading that is not complete: the last record that was looked at
	Groups   int   // of an aggregate, with those that its limit leaves out; 0: unknown

	// Note says in sentences what no other member does: why a reading ended before it was complete, unless the page was full,
	// and which rows these are.
	Note string

	// Rows are the rows of the answer, in their order; nil where no page follows.
	Rows []Mark

	// CursorAfter gives the cursor that goes on after so many of the rows, at least one; nil where no page follows.
	CursorAfter func(rows int) string

	// Behind is the cursor of the same question to the records behind UpTo; empty: none is, or CursorAfter leads to them.
	Behind string

	// Rest finds those records of an aggregate that it does not tell of: it stands in the caller's filter, in the place of
	// bounds in the same direction. Nil: nothing can say which they are.
	Rest *Condition
}

// Mark is a record at which a reading may stop.
type Mark struct {
	ID   string // as the resource server has it; empty: no record
	Time string // of the field that the records are ordered by; empty: unknown
	Read int64  // records that were looked at up to this one
}

// Ending is the reading of a page that ends after so many of its rows, as if the caller had asked for no more.
func (r Reading) Ending(rows int) Reading {
	if rows >= len(r.Rows) || rows == 0 {
		return r
	}
	last := r.Rows[rows-1]
	r.Read, r.Matched, r.Complete, r.UpTo, r.Note = last.Read, int64(rows), false, last, ""
	return r
}
