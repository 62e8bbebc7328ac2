package scan

import (
	"bytes"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// matchingPage is a page of the matching rows of a list.
type matchingPage struct {
	*list
	asked      rs.Request // the caller's request
	order      string     // of the list; empty: the default one
	sort       string     // of the caller; empty: none
	limit      int
	countsAll  bool   // the reading continues after the page, to count
	showsCount bool   // the response has the count if it is known
	total      *int64 // of all matching rows; nil: unknown

	rows      []rawjson.Value
	positions []rowsPosition // the position after each row
	cut       *rowsPosition  // the position after the page, if matching rows may follow
	last      *page          // the last page that was read; nil: none
	merged    []*mergedList  // of the connections; nil: one list
}

// fillFrom fills the page from a position.
func (m *matchingPage) fillFrom(from rowsPosition) error {
	if from.Lists != nil {
		return m.resumeMerging(from.Lists)
	}
	return m.fill()
}

// fill reads until the page is full. To count all rows, it reads to the end.
func (m *matchingPage) fill() error {
	m.readsAhead = m.countsAll
	for {
		read, err := m.page()
		switch {
		case err != nil:
			return err
		case m.separate != nil:
			isMerged, err := m.startMerging()
			if err != nil {
				return err
			}
			if isMerged {
				return m.merge()
			}
			continue
		case read == nil:
			return nil
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
			m.UpTo.Unread = m.unreadAfter(read, i-1)
		}
	}()
	for ; i < len(read.rows); i++ {
		before := func() rowsPosition { return rowsPosition{position: read.positionBefore(i)} }
		isKept, isEnough := m.addRow(read.rows[i], before)
		if isEnough {
			return true
		}
		if isKept {
			m.positions = append(m.positions, rowsPosition{position: read.positionAfter(i)})
			m.Rows[len(m.Rows)-1].Unread = m.unreadAfter(read, i)
		}
	}
	return !m.countsAll && len(m.rows) == m.limit
}

// addRow counts the next row. It keeps a matching row of the page. Before a matching row after the page it ends the page, and unless all
// rows are counted, also the reading: then it returns isEnough and does not count the row.
func (m *matchingPage) addRow(row record, before func() rowsPosition) (isKept, isEnough bool) {
	isMatch := m.filter.Match(row.fields)
	if isMatch && len(m.rows) == m.limit && m.cut == nil {
		cut := before()
		m.cut, m.Complete = &cut, m.Complete && m.countsAll
		if !m.countsAll {
			return false, true
		}
	}
	m.noteRead(row)
	if isMatch {
		m.Matched++
	}
	if !isMatch || m.cut != nil {
		return false, false
	}
	m.rows = append(m.rows, bytes.Clone(row.row)) // a copy does not keep its page in memory
	m.Rows = append(m.Rows, m.markOf(row))
	return true, false
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
	if m.showsCount && m.total == nil && !m.countsAll {
		m.Note = strings.TrimSpace(m.Note + ` The count is unknown, because the reading ends with the page: pass count "exact".`)
	}
	if m.countsAll && m.Complete { // the reading covers all rows, also those that are not shown
		m.Rows = nil
	}
	m.IsPerConnection = m.sequence != nil
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
	case m.merged != nil && !m.Complete:
		return m.cursor(m.mergedPosition())
	case m.merged != nil, m.isDone && m.Complete, m.last != nil && m.last.isLast:
		return ""
	}
	return m.cursor(rowsPosition{position: m.next})
}

func (m *matchingPage) cursor(at rowsPosition) string {
	if at.Count = m.total; at.Lists == nil {
		at.TimeField = m.timeField
	}
	return at.encode(m.asked)
}
