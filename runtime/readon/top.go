package readon

import (
	"fmt"

	"github.com/pdppmcp/pdpp-mcp/runtime/condition"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tally"
)

// top reads the whole stream for its first rows by a field (R-SCAN-4). No page follows them.
func (q *rows) top(l *list, filter *condition.Filter) (*rs.Response, error) {
	first := tally.NewTop(q.by, q.falling, q.request.Limit())
	l.toEnd = true
	var last record
	take := func(row record) {
		l.look(row)
		if filter.Match(row.fields) {
			l.Matched++
			first.Add(row.key(), row.fields, row.row)
		}
		last = row
	}
	for {
		read, err := l.page()
		if err != nil {
			return nil, err
		}
		if read == nil {
			break
		}
		if l.isFanned(read) {
			if err := l.takeFanned(read, take); err != nil {
				return nil, err
			}
			break
		}
		l.take(read, take)
	}
	l.UpTo = l.mark(last)
	rows := first.Rows()
	which := "first"
	if q.falling {
		which = "last"
	}
	l.Note = fmt.Sprintf("These are the %s %d by %s (numbers and times by value, other text letter by letter), of the records that were read; "+
		"no page follows, a larger limit shows more.",
		which, len(rows), rawjson.Quote(q.by)) + spaced(l.Note)
	var meta rawjson.Object
	if q.input.Count != nil && *q.input.Count != "none" && l.Complete {
		count := rawjson.Object{rawjson.String("kind", "exact"), rawjson.Int("value", l.Matched)}
		meta = append(meta, rawjson.Raw(countName, count.Encode()))
	}
	if warnings := warningsOf(filter); warnings != nil {
		meta = append(meta, rawjson.Raw("warnings", rawjson.Array(warnings)))
	}
	return l.answer(q.request, rowsEnvelope(rows, false, "", rawjson.Raw("meta", meta.Encode()))), nil
}

func spaced(sentence string) string {
	if sentence == "" {
		return ""
	}
	return " " + sentence
}
