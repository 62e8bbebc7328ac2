package scan

import (
	"slices"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemaquery"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// maxMerged is how many connections are merged. Their positions together fit into a cursor.
const maxMerged = 16

// connectionTimes are the fields of a connection's records that may order its list.
type connectionTimes struct {
	connection string
	fields     []string
}

// mergedList is the list of one connection in a page that merges several in the order of time (R-SCAN-7).
type mergedList struct {
	*list
	field string // that orders the list
	page  *page  // nil: none was read
	row   int    // the next row of the page
}

// findTimes asks the schema which fields may have the times of the records, because the pages have the requested fields only. Without a
// schema, no field is known.
func (l *list) findTimes(stream string, connectionID *string) {
	scope := schemadoc.Scope{Stream: &stream, ConnectionID: connectionID}
	document, err := schemaquery.Ask(schemaquery.Recent(l.ctx), l.env.RS, scope, l.request.Sources)
	if err != nil {
		return
	}
	var common []string
	l.times = map[string][]string{}
	for connector, found := range document.Rows() {
		names := timeNames(found)
		for _, connection := range connector.ConnectionsOf(found) {
			l.times[connection.ID] = names
		}
		if common == nil {
			common = names
		}
		common = slices.DeleteFunc(slices.Clone(common), func(name string) bool { return !slices.Contains(names, name) })
	}
	if len(common) > 0 {
		l.timeField = common[0]
	}
}

// timeNames returns the granted fields of a stream that may order its records, the likeliest first.
func timeNames(stream *schemadoc.Stream) []string {
	var granted []string
	for _, field := range stream.Fields() {
		if !field.Has("g=false") && !strings.Contains(field.Name, ",") {
			granted = append(granted, field.Name)
		}
	}
	names := joinNames([]string{advertisedTime(stream)}, render.TimesByRole(stream), tool.TimeRole.Fields)
	names = slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(granted, name) })
	return names[:min(len(names), maxSortFields)]
}

// timesOf returns the connections of a page with the fields that may order their lists.
func (l *list) timesOf(rows []record) []connectionTimes {
	var all []connectionTimes
	for _, connection := range connectionsOf(rows) {
		names, isKnown := l.times[connection]
		if !isKnown {
			own := slices.DeleteFunc(slices.Clone(rows), func(row record) bool { return row.connectionID() != connection })
			names = timesIn(fieldsOf(own))
		}
		all = append(all, connectionTimes{connection, names})
	}
	return all
}

// timesIn returns the fields that hold times in records, the likeliest first.
func timesIn(records []rawjson.Cursor) []string {
	names := timesOf(records)
	if likely := tool.TimeField(nil, nil, names, func(name string) bool { return holdsTimes(name, records) }); likely != "" {
		names = joinNames([]string{likely}, names)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return strings.Contains(name, ",") })
	return names[:min(len(names), maxSortFields)]
}

// startMerging reads the first page of each connection. It returns false if the resource server sorts a connection by none of its times; the
// connections are then read one after another.
func (m *matchingPage) startMerging() (isMerged bool, err error) {
	all := m.separate
	m.separate = nil
	for _, each := range all {
		added, err := m.firstPage(each, m.pageSizeOf(len(all)))
		if err != nil {
			return false, err
		}
		if added == nil {
			return false, m.readUnmerged(all)
		}
		m.addMerged(added)
	}
	return true, nil
}

// readUnmerged ends the lists that were merged, and reads the connections one after another.
func (m *matchingPage) readUnmerged(all []connectionTimes) error {
	for _, each := range m.merged {
		each.end()
		if each.page != nil {
			m.budget.Discard(len(each.page.rows))
		}
	}
	var connections []string
	for _, each := range all {
		connections = append(connections, each.connection)
	}
	m.merged, m.timeFields, m.pages, m.Note, m.Direction = nil, nil, 0, "", answer.UnknownDirection
	m.readSeparately(connections)
	return nil
}

// firstPage returns the list of a connection with its first page. It returns nil if the resource server refuses every order by time.
func (m *matchingPage) firstPage(of connectionTimes, pageSize int) (*mergedList, error) {
	fields := of.fields
	if field := strings.TrimPrefix(m.sort, "-"); field != "" {
		fields = []string{field}
	}
	for _, field := range fields {
		added := m.newMerged(position{Connection: of.connection}, field, pageSize)
		read, err := added.list.page()
		switch {
		case isSortRefusal(err):
			added.end()
			continue
		case err != nil:
			added.end()
			return nil, err
		}
		added.page = read
		return added, nil
	}
	return nil, nil
}

// pageSizeOf returns the size with which a call may read a page of each of several connections: no row can be added before.
func (m *matchingPage) pageSizeOf(connections int) int {
	return max(1, min(m.pageSize, m.env.Readings.MaxRecords()/connections))
}

func (m *matchingPage) newMerged(from position, field string, pageSize int) *mergedList {
	request, sort := m.list.request, "-"+field
	if m.order == "asc" {
		sort = field
	}
	request.Query = request.Query.Without(wire.Sort, wire.Order).With(wire.Sort, sort)
	added := &list{reading: m.reading, request: request, pageSize: pageSize, bound: m.bound, next: from}
	added.connection = from.Connection
	added.addField(field)
	return &mergedList{list: added, field: field}
}

func (m *matchingPage) addMerged(added *mergedList) {
	if m.merged = append(m.merged, added); m.timeFields == nil {
		m.timeFields = map[string]string{}
	}
	m.timeFields[added.connection] = added.field
	if m.Direction = answer.NewestFirst; m.order == "asc" {
		m.Direction = answer.OldestFirst
	}
}

// resumeMerging continues the lists of a cursor.
func (m *matchingPage) resumeMerging(lists []position) error {
	m.isResumed = true
	for _, from := range lists {
		added := m.newMerged(from.inList(), from.TimeField, m.pageSizeOf(len(lists)))
		added.isDone, added.isRead = from.IsRead, from.IsRead
		m.addMerged(added)
	}
	return m.merge()
}

// merge adds the rows of the connections in the order of time, until the page is full. It ends early if one of the lists cannot be read on.
func (m *matchingPage) merge() error {
	defer func() {
		for _, each := range m.merged {
			each.end()
		}
	}()
	var last *record
	noteLast := func() { // before its page is released
		if last != nil {
			m.UpTo, last = m.markOf(*last), nil
		}
	}
	defer noteLast()
	m.Complete = false
	for {
		var first *mergedList
		for _, each := range m.merged {
			for !each.hasRow() && !each.isRead {
				if !m.countsAll && len(m.rows) == m.limit {
					m.Complete = false
					return nil
				}
				noteLast()
				if read, err := each.readPage(); err != nil || read == nil {
					m.Complete = false
					return err
				}
			}
			if each.hasRow() && (first == nil || each.isBefore(first, m.Direction)) {
				first = each
			}
		}
		if first == nil {
			m.Complete = true
			return nil
		}
		row := first.page.rows[first.row]
		isKept, isEnough := m.addRow(row, m.mergedPosition)
		if isEnough {
			m.Complete = false
			return nil
		}
		last = &row
		first.row++
		if isKept {
			m.positions = append(m.positions, m.mergedPosition())
		}
	}
}

func (l *mergedList) hasRow() bool { return l.page != nil && l.row < len(l.page.rows) }

// readPage reads the next page. It returns nil if the reading ends earlier.
func (l *mergedList) readPage() (*page, error) {
	read, err := l.list.page()
	if read != nil {
		l.page, l.row = read, read.first
	}
	return read, err
}

// isBefore reports whether the next row comes before the next row of another list. A row without a time keeps its place in its list.
func (l *mergedList) isBefore(other *mergedList, direction answer.Direction) bool {
	at, isTime := l.time()
	otherAt, isOtherTime := other.time()
	switch {
	case !isTime || !isOtherTime:
		return !isTime && isOtherTime
	case direction == answer.OldestFirst:
		return at.Before(otherAt)
	}
	return at.After(otherAt)
}

func (l *mergedList) time() (at time.Time, isTime bool) {
	at, _, isTime = instantOf(l.page.rows[l.row].fields.Member(l.field), l.env.Clock)
	return at, isTime
}

// mergedPosition returns the position before the next row of each list.
func (m *matchingPage) mergedPosition() rowsPosition {
	var all rowsPosition
	for _, each := range m.merged {
		at := each.next
		switch read := each.page; {
		case each.hasRow():
			at = read.positionBefore(each.row)
		case read != nil && read.isLast:
			at = position{Connection: each.connection}
		case read != nil:
			at = read.next
		}
		at.TimeField, at.IsRead = each.field, each.isRead && !each.hasRow()
		all.Lists = append(all.Lists, at)
	}
	return all
}
