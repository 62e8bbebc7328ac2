package readon

import (
	"fmt"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/condition"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tally"
)

// top reads the whole stream for its first rows by a field (R-SCAN-4). No page follows them, but where the reading ends before the
// stream, a cursor finds the first rows of what is behind (R-SCAN-6).
func (q *rows) top(l *list, filter *condition.Filter) (*rs.Response, error) {
	first := tally.NewTop(q.by, q.falling, q.request.Limit())
	l.toEnd = true
	isFanned := false
	take := func(row record) {
		l.look(row)
		if filter.Match(row.fields) {
			l.Matched++
			first.Add(row.id, row.fields, row.row)
		}
	}
	for {
		read, err := l.page()
		if err != nil {
			return nil, err
		}
		if read == nil {
			break
		}
		if isFanned = l.isFanned(read); isFanned {
			if err := l.takeFanned(read, take); err != nil {
				return nil, err
			}
			break
		}
		l.upTo(l.take(read, take))
	}
	if err := l.checkTimes(); err != nil {
		return nil, err
	}
	rows := first.Rows()
	l.Note = strings.TrimSpace(q.noteOf(len(rows), q.onward(l, isFanned)) + " " + l.Note)
	var meta rawjson.Object
	if q.input.Count != nil && *q.input.Count != "none" && l.Complete && !q.from.Sorts {
		meta = append(meta, exactCount(l.Matched))
	}
	meta = withWarnings(meta, withSpelled(l.warningsOf(filter), first.Spelled()))
	return l.answer(q.request, rowsEnvelope(rows, l.Behind, rawjson.Raw("meta", meta.Encode()))), nil
}

// onward says what leads on: to the records behind a reading that ended before the stream, by a cursor, unless it went over
// several connections at once.
func (q *rows) onward(l *list, isFanned bool) string {
	switch {
	case l.Complete:
		return "no page follows, a larger limit shows more."
	case isFanned:
		return "no page follows; call again for each connection_id."
	}
	behind := l.next
	behind.Sorts = true
	l.Behind = behind.encode(q.request)
	return "the next page has those of the records behind, to be compared with these."
}

// noteOf says which rows these are, and what leads on.
func (q *rows) noteOf(rows int, onward string) string {
	order := string(rawjson.Quote(q.by))
	if q.falling {
		order += ", falling"
	}
	return fmt.Sprintf("These are the first %d in the order of %s (numbers and times by value, other text by character), of the records that were read; %s",
		rows, order, onward)
}
