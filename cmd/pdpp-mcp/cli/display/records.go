package display

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
)

// handleName is the member of a plain row that names it.
const handleName = "handle"

// memberTable returns a table with a column for each name, or for all members ordered by their kinds. A dot in a name selects a nested
// member.
func memberTable(objects []rawjson.Object, names ...string) *table {
	table := &table{advice: "--format json"}
	isNamed := len(names) > 0
	if !isNamed {
		names = memberNames(objects)
	}
	for _, name := range names {
		values := make([]json.RawMessage, len(objects))
		cells := make([]string, len(objects))
		for i, object := range objects {
			values[i] = memberAt(object, name)
			cells[i] = cellOf(values[i])
		}
		local, zone, isTime := localTimes(cells)
		if isTime {
			cells, table.zone = local, zone
		}
		table.addColumn(column{name: name, kind: kindOf(name, isTime, cells), isRight: areNumbers(values)}, cells)
	}
	table.rankKinds()
	if !isNamed {
		slices.SortStableFunc(table.columns, func(a, b column) int { return int(a.kind - b.kind) })
		return table
	}
	for i := range table.columns { // a requested column is not hidden first
		switch column := &table.columns[i]; {
		case column.kind == idKind:
			column.kind = namedIDKind
		case column.kind == otherKind && column.isRight:
			column.kind = amountKind
		}
	}
	return table
}

// rowTable returns a table of plain rows, with their handles in the last column. A field that repeats the record's id is left out.
func rowTable(rows []rawjson.Object, names ...string) *table {
	handles := make([]string, len(rows))
	fields := make([]rawjson.Object, len(rows))
	repeatsID := true
	for i, row := range rows {
		handles[i] = row.Text(handleName)
		fields[i] = row.Without(handleName)
		repeatsID = repeatsID && strings.HasSuffix(handles[i], ":"+row.Text("id"))
	}
	for i := range fields {
		if repeatsID {
			fields[i] = fields[i].Without("id")
		}
	}
	table := memberTable(fields, slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == handleName })...)
	if names == nil || slices.Contains(names, handleName) {
		table.addColumn(column{name: "id", kind: handleKind}, handles)
	}
	return table
}

func recordTable(records []json.RawMessage) *table {
	rows := make([]rawjson.Object, len(records))
	for i, record := range objectsOf(records) {
		fields, _ := rawjson.ParseObject(record.Get("data"))
		rows[i] = append(rawjson.Object{rawjson.String(handleName, record.Text(handleName))}, fields...)
	}
	table := rowTable(rows)
	table.advice = "--fields, --format json"
	return table
}

// objectsOf parses values. A value that is not an object has no members.
func objectsOf(values []json.RawMessage) []rawjson.Object {
	objects := make([]rawjson.Object, len(values))
	for i, value := range values {
		objects[i], _ = rawjson.ParseObject(value)
	}
	return objects
}

// memberNames returns the names of all members in the order of their first occurrence.
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

// memberAt returns the member of a name, or nil. Dots in the name select members of nested objects.
func memberAt(members rawjson.Object, name string) json.RawMessage {
	outer, inner, isNested := strings.Cut(name, ".")
	if value := members.Get(name); value != nil || !isNested {
		return value
	}
	nested, _ := rawjson.ParseObject(members.Get(outer))
	return memberAt(nested, inner)
}

// cellOf returns a string without its quotes, a list of strings with commas, an empty text for null, and any other value as JSON.
func cellOf(value json.RawMessage) string {
	if text, isText := rawjson.Text(value); isText || rawjson.Kind(value) == rawjson.Null {
		return text
	}
	var list []string
	if err := json.Unmarshal(value, &list); err == nil {
		return strings.Join(list, ", ")
	}
	return string(value)
}

// localTimes returns times in the zone of this machine. They are dates if none has a time of day. It returns false if a cell is neither a
// time nor empty.
func localTimes(cells []string) (local []string, zone string, ok bool) {
	layout := time.DateOnly
	times := make([]time.Time, len(cells))
	for i, cell := range cells {
		if cell == "" {
			continue
		}
		parsed, err := time.Parse(time.RFC3339, cell)
		if err != nil {
			return nil, "", false
		}
		times[i] = parsed.Local()
		zone, _ = times[i].Zone()
		if hour, minute, second := times[i].Clock(); hour+minute+second > 0 {
			layout = "2006-01-02 15:04"
		}
	}
	local = make([]string, len(cells))
	for i, cell := range cells {
		if cell != "" {
			local[i] = times[i].Format(layout)
		}
	}
	return local, zone, zone != ""
}

// areNumbers reports whether all values except null are numbers, and at least one is.
func areNumbers(values []json.RawMessage) bool {
	found := false
	for _, value := range values {
		kind := rawjson.Kind(value)
		if kind != rawjson.Number && kind != rawjson.Null && kind != rawjson.None {
			return false
		}
		found = found || kind == rawjson.Number
	}
	return found
}

// hit is the part of a search result that people read.
type hit struct {
	Handle   string `json:"id"`
	Title    string
	Author   string
	Time     string
	Stream   string
	Snippet  string
	Source   string `json:"display_name"`
	Evidence []struct{ Preview string }
}

func readHit(result json.RawMessage, shared rawjson.Object) (h hit) {
	members, _ := rawjson.ParseObject(result)
	_ = json.Unmarshal(append(members, shared...).Encode(), &h) // a malformed hit has empty columns
	if h.Snippet == "" && len(h.Evidence) > 0 {
		h.Snippet = h.Evidence[0].Preview
	}
	if h.Title == unmarked.Replace(h.Snippet) || strings.HasPrefix(h.Title, h.Source+" / ") {
		h.Title = "" // the other columns show it
	}
	return h
}

var unmarked = strings.NewReplacer("<mark>", "", "</mark>", "")

// plainHit returns a search result as a plain row.
func plainHit(result json.RawMessage) json.RawMessage {
	h := readHit(result, nil)
	return rawjson.Object{
		rawjson.String(handleName, h.Handle), rawjson.String("title", h.Title), rawjson.String("time", h.Time),
		rawjson.String("stream", h.Stream), rawjson.String("source", h.Source), rawjson.String("text", unmarked.Replace(h.Snippet)),
	}.Encode()
}

func hitTable(results []json.RawMessage, shared rawjson.Object) *table {
	hits := make([]hit, len(results))
	for i, result := range results {
		hits[i] = readHit(result, shared)
	}
	cells := func(textOf func(hit) string) (texts []string) {
		for _, hit := range hits {
			texts = append(texts, textOf(hit))
		}
		return texts
	}
	table := &table{advice: "--format json"}
	addKnown := func(added column, cells []string) {
		if slices.ContainsFunc(cells, func(cell string) bool { return cell != "" }) {
			table.addColumn(added, cells)
		}
	}
	addKnown(column{name: "title", kind: titleKind}, cells(func(h hit) string { return h.Title }))
	table.addColumn(column{name: "found", kind: textKind, hasMarks: true}, cells(func(h hit) string { return startAtMark(invocation.OneLine(h.Snippet)) }))
	addKnown(column{name: "author", kind: personKind}, cells(func(h hit) string { return h.Author }))
	times := cells(func(h hit) string { return h.Time })
	if local, zone, isTime := localTimes(times); isTime {
		times, table.zone = local, zone
	}
	table.addColumn(column{name: "time", kind: timeKind}, times)
	table.addColumn(column{name: "in", kind: otherKind}, cells(func(h hit) string { return strings.TrimSpace(h.Source + " " + h.Stream) }))
	table.addColumn(column{name: "id", kind: handleKind}, cells(func(h hit) string { return h.Handle }))
	return table
}

// maxLead bounds the text that a table shows before the first highlight of a snippet.
const maxLead = 12

// startAtMark shortens the beginning of a snippet, so that a narrow column shows its first highlight.
func startAtMark(snippet string) string {
	before, rest, found := strings.Cut(snippet, "<mark>")
	lead := []rune(before)
	if !found || len(lead) <= 2*maxLead {
		return snippet
	}
	return "…" + string(lead[len(lead)-maxLead:]) + "<mark>" + rest
}
