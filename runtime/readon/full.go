package readon

import (
	"bytes"

	"github.com/pdppmcp/pdpp-mcp/runtime/condition"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// full is a page of rows that match, as far as it is filled.
type full struct {
	*list
	asked  rs.Request
	limit  int
	counts bool   // the reading goes on behind the page, to count
	tells  bool   // the answer says how many match, when that is known
	count  *int64 // all that match; nil: unknown

	rows   []rawjson.Value
	places []place   // behind each of them
	marks  []rs.Mark // likewise
	cut    *place    // behind the page, when a row that matches is known to follow
	last   *page     // that was read; nil: none
}

// add takes the rows of a page that match, and reports whether another page is needed.
func (f *full) add(read *page, filter *condition.Filter) bool {
	f.last = read
	var last *record
	for i := read.from; i < len(read.rows); i++ {
		row := read.rows[i]
		if f.passes(row) {
			break
		}
		isMatch := filter.Match(row.fields)
		if isMatch && len(f.rows) == f.limit && f.cut == nil {
			behind := read.before(i)
			if f.cut = &behind; !f.counts {
				f.Complete = false
				break
			}
		}
		f.look(row)
		last = &read.rows[i]
		if isMatch {
			f.Matched++
		}
		if isMatch && f.cut == nil {
			f.rows = append(f.rows, bytes.Clone(row.row))
			f.places = append(f.places, read.behind(i))
			f.marks = append(f.marks, f.mark(row))
		}
	}
	f.upTo(last)
	return f.counts || len(f.rows) < f.limit
}

// response is the page as the resource server would send it.
func (f *full) response(filter *condition.Filter) *rs.Response {
	if f.tells && f.Complete {
		total := f.Matched
		f.count = &total
	}
	if !f.counts || !f.Complete { // else all of the list is read, however many rows are shown
		f.Rows = f.marks
	}
	f.CursorAfter = func(rows int) string {
		if rows == len(f.rows) {
			return f.end()
		}
		return f.cursor(f.places[rows-1])
	}
	members := []rawjson.Member{rawjson.Raw("meta", f.meta(filter))}
	if f.last != nil {
		if bookmark := f.last.rest.Get("next_changes_since"); bookmark != nil {
			members = append(members, rawjson.Raw("next_changes_since", bookmark))
		}
	}
	return f.answer(f.asked, rowsEnvelope(f.rows, f.end(), members...))
}

func (f *full) meta(filter *condition.Filter) rawjson.Value {
	var meta rawjson.Object
	if f.count != nil {
		meta = append(meta, exactCount(*f.count))
	}
	return withWarnings(meta, warningsOf(filter)).Encode()
}

// end is the cursor behind the page; empty: nothing follows.
func (f *full) end() string {
	switch {
	case f.cut != nil:
		return f.cursor(*f.cut)
	case f.isDone && f.Complete:
		return ""
	}
	return f.cursor(f.next)
}

func (f *full) cursor(at place) string {
	at.Count = f.count
	return at.encode(f.asked)
}
