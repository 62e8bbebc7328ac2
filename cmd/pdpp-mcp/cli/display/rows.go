package display

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// memberTable has a row for each object and a column for each name, in this order. Without names all members are columns, those
// first that people read. A dot in a name leads into a nested object.
func memberTable(objects []rawjson.Object, names ...string) *table {
	named := len(names) > 0
	if !named {
		names = memberNames(objects)
	}
	table := newTable(names...)
	table.Rows = make([][]string, len(objects))
	for i := range objects {
		table.Rows[i] = make([]string, len(names))
	}
	for at, name := range names {
		values := make([]json.RawMessage, len(objects))
		cells := make([]string, len(objects))
		for i, object := range objects {
			values[i] = memberAt(object, name)
			cells[i] = cell(values[i])
		}
		column := &table.Columns[at]
		timed := instants(cells)
		if timed {
			table.zone = localTimes(cells)
		}
		column.right = numbers(values)
		column.Kind = kindOf(name, timed, cells)
		for i := range cells {
			table.Rows[i][at] = cells[i]
		}
	}
	oneOfAKind(table.Columns)
	if !named {
		table.arrange()
		return table
	}
	for i := range table.Columns { // what is named is wanted, a number before an id of something else
		switch column := &table.Columns[i]; {
		case column.Kind == idKind:
			column.Kind = namedIDKind
		case column.Kind == otherKind && column.right:
			column.Kind = amountKind
		}
	}
	return table
}

// arrange orders the columns from left to right as people read them.
func (t *table) arrange() {
	order := make([]int, len(t.Columns))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return t.Columns[a].Kind.place() - t.Columns[b].Kind.place() })
	columns := make([]column, len(order))
	for i, from := range order {
		columns[i] = t.Columns[from]
	}
	for at, row := range t.Rows {
		arranged := make([]string, len(order))
		for i, from := range order {
			arranged[i] = row[from]
		}
		t.Rows[at] = arranged
	}
	t.Columns = columns
}

// leaveOut removes the columns for which it is true.
func (t *table) leaveOut(it func(at int) bool) {
	for at := len(t.Columns) - 1; at >= 0; at-- {
		if !it(at) {
			continue
		}
		t.Columns = slices.Delete(t.Columns, at, at+1)
		for i := range t.Rows {
			t.Rows[i] = slices.Delete(t.Rows[i], at, at+1)
		}
	}
}

// append adds a column at the right.
func (t *table) append(last column, cells []string) {
	t.Columns = append(t.Columns, last)
	for i := range t.Rows {
		t.Rows[i] = append(t.Rows[i], cells[i])
	}
}

// objectsOf parses values. One that is no object has no members.
func objectsOf(values []json.RawMessage) []rawjson.Object {
	objects := make([]rawjson.Object, len(values))
	for i, value := range values {
		objects[i], _ = rawjson.ParseObject(value)
	}
	return objects
}

// memberNames are the names of all members, in the order in which they come.
func memberNames(objects []rawjson.Object) []string {
	var names []string
	for _, object := range objects {
		for _, member := range object {
			if !slices.Contains(names, member.Name) {
				names = append(names, member.Name)
			}
		}
	}
	return names
}

// memberAt returns the member of that name, which dots may lead into nested objects, or nil.
func memberAt(members rawjson.Object, name string) json.RawMessage {
	outer, inner, nested := strings.Cut(name, ".")
	if value := members.Get(name); value != nil || !nested {
		return value
	}
	within, _ := rawjson.ParseObject(members.Get(outer))
	return memberAt(within, inner)
}

// recordTable has a row for each record of a page. Its last column is the record's handle, without what all handles begin with,
// which is returned. The field that repeats the record's id is left out.
func recordTable(records []json.RawMessage, columns int) (table *table, prefix string) {
	fields := make([]json.RawMessage, len(records))
	handles, ids := make([]string, len(records)), make([]string, len(records))
	for i, record := range objectsOf(records) {
		fields[i] = record.Get("data")
		handles[i], ids[i] = invocation.OneLine(record.Text("handle")), invocation.OneLine(record.Text("id"))
	}
	table = memberTable(objectsOf(fields))
	table.leaveOut(func(at int) bool {
		return table.Columns[at].Name == "id" && !slices.ContainsFunc(table.Rows, func(row []string) bool {
			return !slices.Contains(ids, row[at])
		})
	})
	if prefix = samePrefix(handles); prefix != "" && slices.ContainsFunc(handles, func(each string) bool { return len(each) > columns/3 }) {
		for i, handle := range handles {
			handles[i] = strings.TrimPrefix(handle, prefix)
		}
	} else {
		prefix = ""
	}
	table.append(column{Name: "id", Kind: handleKind}, handles)
	return table, prefix
}

// samePrefix returns the connection and stream that all handles begin with, such as cin_1/messages:, or an empty string.
func samePrefix(handles []string) string {
	prefix := ""
	for i, handle := range handles {
		slash := strings.IndexByte(handle, '/')
		end := slash + 1 + strings.IndexByte(handle[slash+1:], ':') + 1
		if slash <= 0 || end <= slash+1 || strings.HasPrefix(handle, "pdpp:") || i > 0 && handle[:end] != prefix {
			return ""
		}
		prefix = handle[:end]
	}
	return prefix
}
