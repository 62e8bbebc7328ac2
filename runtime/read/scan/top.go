package scan

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/tally"
)

// top reads the whole stream for its first rows by a field (R-SCAN-4). No page follows. If the reading ends early, a cursor finds the
// first rows of the unread records (R-SCAN-6).
func (q *rows) top(l *list) (*answer.Rows, error) {
	first := tally.NewTop(q.sortField, q.isDescending, q.request.Limit())
	l.readsAhead = true
	err := l.readAll(func(read *page) {
		l.noteRead(read.unread()...)
		for _, row := range read.unread() {
			if l.filter.Match(row.fields) {
				l.Matched++
				first.Add(row.id, row.fields, row.row)
			}
		}
	})
	if err := cmp.Or(err, l.checkTimes()); err != nil {
		return nil, err
	}
	rows := first.Rows()
	order := string(rawjson.Quote(q.sortField))
	if q.isDescending {
		order += ", falling"
	}
	l.Note = strings.TrimSpace(fmt.Sprintf(
		"These are the first %d in the order of %s (numbers and times by value, other text by character), of the records that were read; %s %s",
		len(rows), order, q.continuation(l), l.Note))
	var meta rawjson.Object
	if count := text(q.input.Count); count != "" && count != "none" && l.Complete && !q.from.Sorts {
		meta = append(meta, exactCount(l.Matched))
	}
	found := l.filterWarnings()
	found.add("numbers_as_text", first.Spelled())
	page := l.reading.answer(q.input, answer.Envelope{Meta: meta, Warnings: found})
	page.Records = recordsOfPage(rows, rawjson.ParseObjects(rows))
	return page, nil
}

// continuation describes what follows the rows. It sets the cursor after an incomplete reading of one list.
func (q *rows) continuation(l *list) string {
	switch {
	case l.Complete:
		return "no page follows, a larger limit shows more."
	case l.count > 0:
		return "no page follows; call again for each connection_id."
	}
	next := l.next
	next.Sorts = true
	l.Behind = next.encode(q.request)
	return "the next page has those of the records behind, to be compared with these."
}
