package scan

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/tally"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// top reads the whole stream for its first rows by a field, or for those after the last row of an earlier page
// (R-SCAN-4). If the reading ends early, the next page has the first rows of the unread records (R-SCAN-6).
func (q *rows) top(l *list) (*answer.Rows, error) {
	limit := q.request.Limit()
	first := tally.NewTop(q.sortField, q.isDescending, limit+1)
	if q.from.LastKey != "" {
		first.StartAfter(rawjson.Value(q.from.LastValue), q.from.LastKey)
		l.needsAll = true
	}
	l.readsAhead = true
	err := l.readAll(func(read *page) {
		l.noteRead(read.unread()...)
		for _, row := range read.unread() {
			if l.filter.Match(row.fields) {
				l.Matched++
				first.Add(row.orderKey, row.fields, row.row)
			}
		}
	})
	if err := cmp.Or(err, l.checkTimes()); err != nil {
		return nil, err
	}
	if l.needsAll && !l.Complete {
		return nil, tool.CursorRefused("is of a list that is now too long to be sorted", nil)
	}
	rows := first.Rows()
	l.Ties = first.Ties()
	q.continueSorted(l, rows)
	rows = rows[:min(len(rows), limit)]
	var meta rawjson.Object
	if count := scalar.OrZero(q.input.Count); count != "" && count != "none" && l.Complete && !q.from.Sorts {
		meta = append(meta, exactCount(l.Matched))
	}
	found := l.filterWarnings()
	found.add(tally.WarnNumbersAsText, first.Spelled())
	page := l.reading.answer(q.input, answer.Envelope{Meta: meta, Warnings: found})
	page.Records = rawjson.ParseRows(rows)
	return page, nil
}

// continueSorted sets how the pages after the sorted rows are read. One more row than the page has shows that another
// page follows.
func (q *rows) continueSorted(l *list, rows []rawjson.Value) {
	order, rest := string(rawjson.Quote(q.sortField)), ""
	if q.isDescending {
		order += ", falling"
	}
	l.CursorAfter = func(shown int) string {
		if shown == len(rows) {
			return ""
		}
		last := recordOf(rawjson.NewCursor(rows[shown-1]))
		next := q.from.position
		next.Sorts, next.LastValue, next.LastKey = true, string(tally.MarkOf(last.fields.Member(q.sortField))), last.orderKey()
		return next.encode(q.request)
	}
	if !l.Complete {
		unread := l.next
		unread.Sorts = true
		behind := unread.encode(q.request)
		rest = "They are the first of the records that were read so far. A filter on the field shows the rows after them. " +
			"The next page has the first of the later records, to compare with these. "
		if l.count > 0 {
			behind = ""
			rest = "They are the first of the records that were read: call again for each connection_id. "
		}
		l.CursorAfter = func(int) string { return behind }
	}
	l.Note = strings.TrimSpace(fmt.Sprintf("The rows are in the order of %s: numbers and times by value, other text by character. %s%s", order, rest, l.Note))
}
