package scan

import (
	"bytes"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// matchingPage is a page of the matching rows of a list.
type matchingPage struct {
	*list
	asked      rs.Request // the caller's request
	limit      int
	countsAll  bool   // the reading continues after the page, to count
	showsCount bool   // the response has the count if it is known
	total      *int64 // of all matching rows; nil: unknown

	rows      []rawjson.Value
	positions []position // the position after each row
	cut       *position  // the position after the page, if matching rows may follow
	last      *page      // the last page that was read; nil: none
}

// fill reads until the page is full. To count all rows, it reads to the end.
func (m *matchingPage) fill() error {
	m.readsAhead = m.countsAll
	for {
		read, err := m.page()
		if err != nil || read == nil {
			return err
		}
		if m.add(read) {
			return nil
		}
		rows := len(m.rows)
		m.readsAhead = m.countsAll || rows+rows/m.pages < m.limit // the next page will probably not fill it
	}
}

// add adds the matching rows of a page, and reports whether no other page is needed.
func (m *matchingPage) add(read *page) (isEnough bool) {
	m.last = read
	i := read.first
	defer func() {
		if i > read.first {
			m.UpTo = m.markOf(read.rows[i-1])
		}
	}()
	for ; i < len(read.rows); i++ {
		isMatch := m.filter.Match(read.rows[i].fields)
		if isMatch && len(m.rows) == m.limit && m.cut == nil {
			if m.stop(read, i); !m.countsAll {
				return true
			}
		}
		m.noteRead(read.rows[i])
		if isMatch {
			m.Matched++
		}
		if isMatch && m.cut == nil {
			m.rows = append(m.rows, bytes.Clone(read.rows[i].row)) // a copy does not keep its page in memory
			m.positions = append(m.positions, read.positionAfter(i))
			m.Rows = append(m.Rows, m.markOf(read.rows[i]))
		}
	}
	return !m.countsAll && len(m.rows) == m.limit
}

// stop ends the page before a row. It also ends the reading, unless all rows are counted.
func (m *matchingPage) stop(read *page, row int) {
	cut := read.positionBefore(row)
	m.cut, m.Complete = &cut, m.Complete && m.countsAll
}

// answer returns the page as an answer to the call.
func (m *matchingPage) answer(input RowsInput, warnings warnings) *answer.Rows {
	meta, bookmark := m.finish()
	rows := m.reading.answer(input, answer.Envelope{Meta: meta, Warnings: warnings})
	rows.Records, rows.Bookmark = rawjson.ParseRows(m.rows), bookmark
	return rows
}

// finish sets how the page continues. It returns the meta of the page, and the bookmark of a feed.
func (m *matchingPage) finish() (meta rawjson.Object, bookmark rawjson.Value) {
	if m.showsCount && m.Complete {
		total := m.Matched
		m.total = &total
	}
	if m.countsAll && m.Complete { // the reading covers all rows, also those that are not shown
		m.Rows = nil
	}
	m.CursorAfter = func(rows int) string {
		if rows == len(m.rows) {
			return m.nextCursor()
		}
		return m.cursor(m.positions[rows-1])
	}
	if m.total != nil {
		meta = append(meta, exactCount(*m.total))
	}
	if m.last != nil {
		bookmark = m.last.envelope.Get(bookmarkName)
	}
	return meta, bookmark
}

// nextCursor returns the cursor of the next page, or an empty string on the last page.
func (m *matchingPage) nextCursor() string {
	switch {
	case m.cut != nil:
		return m.cursor(*m.cut)
	case m.isDone && m.Complete, m.last != nil && m.last.isLast:
		return ""
	}
	return m.cursor(m.next)
}

func (m *matchingPage) cursor(at position) string {
	at.Count = m.total
	return at.encode(m.asked)
}
