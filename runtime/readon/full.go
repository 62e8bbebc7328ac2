package readon

import (
	"bytes"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// full is a page of rows that match, as far as it is filled.
type full struct {
	*list
	asked   rs.Request
	limit   int
	matches func(read *page, at int) (bool, error)
	counts  bool   // the reading goes on behind the page, to count
	tells   bool   // the answer says how many match, when that is known
	count   *int64 // all that match; nil: unknown
	partial bool   // some hits could not be compared, so recall is unknown

	rows   []rawjson.Value
	places []place   // behind each of them
	marks  []rs.Mark // likewise
	cut    *place    // behind the page, when rows may follow that match
	last   *page     // that was read; nil: none
}

// fill reads until the page is full, or to the end when all are to be counted. Its error is the answer to the caller.
func (f *full) fill() error {
	f.toEnd = f.counts
	for {
		read, err := f.page()
		if err != nil || read == nil {
			return err
		}
		if isEnough, err := f.add(read); isEnough || err != nil {
			return err
		}
		rows := len(f.rows)
		f.toEnd = f.counts || !f.ranked && rows+rows/f.pages < f.limit // the next page will hardly fill it: the one behind is asked for too
	}
}

// add takes the rows of a page that match, and reports whether no other page is needed.
func (f *full) add(read *page) (isEnough bool, err error) {
	f.last = read
	var last *record
	defer func() { f.upTo(last) }()
	for i := read.from; i < len(read.rows); i++ {
		row, isFull := read.rows[i], len(f.rows) == f.limit
		if f.passes(row) {
			break
		}
		if isFull && f.ranked { // whether another hit matches would cost a read
			f.stop(read, i)
			return true, nil
		}
		isMatch, err := f.matches(read, i)
		if err != nil && f.Read == 0 { // nothing was read, so that the refusal is the answer (R-SCAN-8)
			return true, err
		}
		if err != nil {
			f.stop(read, i)
			return true, f.interrupted(err)
		}
		if isMatch && isFull && f.cut == nil {
			if f.stop(read, i); !f.counts {
				return true, nil
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
	return !f.counts && len(f.rows) == f.limit, nil
}

// stop ends the page before a row, and the reading unless it counts.
func (f *full) stop(read *page, row int) {
	behind := read.before(row)
	f.cut, f.Complete = &behind, f.Complete && f.counts
}

// response is the page as the resource server would send it.
func (f *full) response(warnings []rawjson.Value) *rs.Response {
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
	var meta rawjson.Object
	if f.count != nil {
		meta = append(meta, exactCount(*f.count))
	}
	if f.last != nil && f.last.rest.Meta().Get("recall") != nil && !f.partial { // of a search
		meta = append(meta, rawjson.Raw("recall", f.last.rest.Meta().Get("recall")))
	}
	members := []rawjson.Member{rawjson.Raw("meta", withWarnings(meta, warnings).Encode())}
	if f.last != nil {
		if bookmark := f.last.rest.Get("next_changes_since"); bookmark != nil {
			members = append(members, rawjson.Raw("next_changes_since", bookmark))
		}
	}
	return f.answer(f.asked, rowsEnvelope(f.rows, f.end(), members...))
}

// end is the cursor behind the page; empty: nothing follows.
func (f *full) end() string {
	switch {
	case f.cut != nil:
		return f.cursor(*f.cut)
	case f.isDone && f.Complete, f.last != nil && f.last.isLast:
		return ""
	}
	return f.cursor(f.next)
}

func (f *full) cursor(at place) string {
	at.Count = f.count
	return at.encode(f.asked)
}
