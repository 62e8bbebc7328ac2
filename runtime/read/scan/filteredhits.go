package scan

import (
	"errors"
	"slices"
	"strconv"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// hitsAtOnce is the number of hits that are matched together. Their records are read concurrently.
const hitsAtOnce = 8

// filteredHits is a page of the hits whose records match a filter.
type filteredHits struct {
	*reading
	*searching
	records hitRecords
	limit   int
	next    position // of the next page

	kept      []answer.Hit
	copied    int        // kept hits that do not share the memory of their page
	positions []position // the position after each kept hit
	cut       *position  // the position after the page, if matching hits may follow
	last      *answer.Hits
	isDone    bool     // no page follows that can be read
	isAtEnd   bool     // no page follows
	cursors   []string // of the pages that were read
}

// fill reads until the page is full or the hits end.
func (q *filteredHits) fill() error {
	for !q.isDone && q.cut == nil && len(q.kept) < q.limit {
		q.reportProgress()
		q.releasePage()
		var page *answer.Hits
		err := q.budget.Read(q.ctx, max(q.request.Limit(), rs.DefaultRows), func(limit int) (hits int, err error) {
			if page, err = q.read(q.ctx, q.pageRequest(limit)); err != nil {
				return 0, err
			}
			return len(page.Hits), nil
		})
		switch {
		case errors.Is(err, tool.ErrNoRecordsLeft):
			q.noteFull()
			return nil
		case err != nil:
			q.isDone = true
			return q.interrupted(err)
		}
		if err := q.add(page); err != nil {
			return err
		}
	}
	return nil
}

// releasePage releases the page that was read, so that the next one may take its memory. The hits that are kept are
// copied.
func (q *filteredHits) releasePage() {
	for i, hit := range q.kept[q.copied:] {
		q.kept[q.copied+i].Members, _ = rawjson.ParseObject(hit.Members.Encode())
	}
	q.copied = len(q.kept)
	q.held.Release()
}

// pageRequest returns the request of the next page. Its hits are not filtered.
func (q *filteredHits) pageRequest(limit int) rs.Request {
	request := q.request
	request.Query = request.Query.WithoutMembers(wire.Filter).Without(wire.Cursor, wire.Limit).With(wire.Limit, strconv.Itoa(limit))
	if q.next.Cursor != "" {
		request.Query = request.Query.With(wire.Cursor, q.next.Cursor)
	}
	return request
}

// add keeps the matching hits of a page until the answer is full, because each test of a hit costs a read.
func (q *filteredHits) add(page *answer.Hits) error {
	q.last = page
	q.pages++
	start := q.next
	rows := make([]record, len(page.Hits))
	for i, hit := range page.Hits {
		rows[i].id = idOfHit(hit)
	}
	first, skip := start.skipped(rows)
	q.next = position{Cursor: page.Cursor, Skip: skip, LastRow: start.LastRow}
	switch {
	case page.Cursor == "" || page.Cursor == start.Cursor:
		q.isDone, q.isAtEnd, q.Complete = true, true, !page.HasMore
		if page.HasMore {
			q.Note = noCursorNote
		}
	case slices.Contains(q.cursors, page.Cursor):
		q.isDone, q.isAtEnd, q.Note = true, true, repeatedCursorNote
	}
	q.cursors = append(q.cursors, page.Cursor)
	after := func(row int) position {
		if row == len(rows)-1 && !q.isAtEnd {
			return q.next
		}
		return position{Cursor: start.Cursor, Skip: row + 1, LastRow: rows[row].hash()}
	}
	stop := func(row int) {
		at := position{Cursor: start.Cursor}
		if row > 0 {
			at = after(row - 1)
		}
		q.cut, q.Complete = &at, false
	}
	var matches []bool
	for i := first; i < len(rows); i++ {
		if len(q.kept) == q.limit {
			stop(i)
			return nil
		}
		if len(matches) == 0 {
			var err error
			matches, err = q.records.match(q.reading, q.request, page.Hits[i:min(len(rows), i+hitsAtOnce)])
			switch {
			case err != nil && q.Read == 0: // the refusal is the answer (R-SCAN-8)
				return err
			case err != nil:
				stop(i)
				return q.interrupted(err)
			}
		}
		isMatch := matches[0]
		matches = matches[1:]
		q.Read++
		q.UpTo = answer.Mark{ID: rows[i].key(), Read: q.Read}
		if isMatch {
			q.Matched++
			q.kept, q.positions, q.Rows = append(q.kept, page.Hits[i]), append(q.positions, after(i)), append(q.Rows, q.UpTo)
		}
	}
	return nil
}

// idOfHit returns the id of a hit's record.
func idOfHit(hit answer.Hit) rawjson.Value {
	for _, member := range hit.Members {
		switch member.Name {
		case wire.ID, wire.RecordID, "record_key":
			return member.Value
		}
	}
	return nil
}

// answer returns the page.
func (q *filteredHits) answer(warnings warnings) *answer.Hits {
	q.CursorAfter = func(rows int) string {
		if rows == len(q.kept) {
			return q.nextCursor()
		}
		return q.positions[rows-1].encode(q.request)
	}
	found := &answer.Hits{Coverage: answer.Coverage{Reading: q.described()}}
	if q.last != nil {
		found.Origin, found.GrantIDs, found.Missing = q.last.Origin, q.last.GrantIDs, q.last.Missing
		if recall := q.last.Meta.Get("recall"); recall != nil && q.records.refused == nil && q.Complete {
			found.Meta = rawjson.Object{rawjson.Raw("recall", recall)}
		}
	}
	found.Warnings, found.Hits = warnings, q.kept
	return q.asked(found, q.request)
}

// nextCursor returns the cursor of the next page, or an empty string on the last page.
func (q *filteredHits) nextCursor() string {
	switch {
	case q.cut != nil:
		return q.cut.encode(q.request)
	case q.isAtEnd:
		return ""
	}
	return q.next.encode(q.request)
}
