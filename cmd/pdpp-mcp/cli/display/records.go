package display

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// HandleColumn is the member of a plain row that names it.
const HandleColumn = "handle"

// memberTable returns a table with a column for each name, or for all members ordered by their kinds. A dot in a name
// selects a nested member.
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
	if !isNamed {
		table.rankKinds()
		slices.SortStableFunc(table.columns, func(a, b column) int { return int(a.kind - b.kind) })
		return table
	}
	for i := range table.columns { // a requested column is not hidden first
		switch column := &table.columns[i]; {
		case column.kind == idKind:
			column.kind = namedIDKind
		case column.kind == otherKind && column.isRight:
			column.kind = amountKind
		case column.kind == emptyKind:
			column.kind = otherKind
		}
	}
	return table
}

// completeCells fills an empty title with the text of the row, and adds the currency to an amount, so that a narrow
// table has both.
func (t *table) completeCells() {
	texts := t.ofKinds(textKind)
	for _, title := range t.ofKinds(titleKind) {
		for i := range title.cells {
			if title.cells[i] == "" && texts != nil {
				title.cells[i], texts[0].cells[i] = texts[0].cells[i], ""
			}
		}
		title.measure()
	}
	currencies := slices.IndexFunc(t.columns, func(c column) bool { return c.name == "currency" })
	if amounts := t.ofKinds(amountKind); currencies >= 0 && len(amounts) > 0 {
		amount := amounts[0]
		for i, currency := range t.columns[currencies].cells {
			amount.cells[i] = strings.TrimSuffix(amount.cells[i]+" "+currency, " ")
		}
		amount.measure()
		amount.isRight = true
		t.columns = slices.Delete(t.columns, currencies, currencies+1)
	}
}

// rowTable returns a table of plain rows, with their handles in the last column. A field that repeats the record's id
// is left out.
func rowTable(rows []rawjson.Object, names ...string) *table {
	handles := make([]string, len(rows))
	fields := make([]rawjson.Object, len(rows))
	repeatsID := true
	isTimeline := names == nil && slices.Equal(memberNames(rows), TimelineColumns)
	for i, row := range rows {
		handles[i] = row.Text(HandleColumn)
		fields[i] = row.Without(HandleColumn)
		if isTimeline {
			fields[i] = foldAmount(fields[i])
		}
		repeatsID = repeatsID && strings.HasSuffix(handles[i], ":"+row.Text("id"))
	}
	for i := range fields {
		if repeatsID {
			fields[i] = fields[i].Without("id")
		}
	}
	table := memberTable(fields, slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == HandleColumn })...)
	if table.isSample = names == nil; table.isSample {
		table.completeCells()
	}
	if names == nil || slices.Contains(names, HandleColumn) {
		table.addColumn(column{name: HandleColumn, kind: handleKind}, handles)
	}
	return table
}

// TimelineColumns are the columns of the rows of all streams, in the order of a plain row.
var TimelineColumns = []string{HandleColumn, "time", "stream", "title", "author", "text", "amount"}

// foldAmount moves the amount of a timeline's row before its title. A column would be empty in most rows.
func foldAmount(row rawjson.Object) rawjson.Object {
	title := strings.TrimSpace(cellOf(row.Get("amount")) + " " + cellOf(row.Get("title")))
	return append(row.Without("amount").Without("title"), rawjson.String("title", title))
}

func recordTable(records []json.RawMessage) *table {
	rows := make([]rawjson.Object, len(records))
	for i, record := range objectsOf(records) {
		fields, _ := rawjson.ParseObject(record.Get("data"))
		rows[i] = append(rawjson.Object{rawjson.String(HandleColumn, record.Text(HandleColumn))}, fields...)
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

// cellOf returns a string without its quotes, a list of strings with commas, an empty text for null, and any other
// value as JSON.
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

// localTimes returns times in the zone of this machine, and its name, such as CET, or CET and CEST if the clock changes
// between them. They are dates if none has a time of day. It returns false if a cell is neither a time nor empty.
func localTimes(cells []string) (local []string, zone string, ok bool) {
	layout, zones := time.DateOnly, []string(nil)
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
		if name, _ := times[i].Zone(); !slices.Contains(zones, name) {
			zones = append(zones, name)
		}
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
	slices.Sort(zones)
	return local, strings.Join(zones, " and "), zones != nil
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
	Amount   string // with its currency
	Time     string
	Stream   string
	Snippet  string
	Source   string `json:"display_name"`
	Evidence []struct {
		Field   string `json:"field_path"`
		Preview string
		ShownIn string `json:"shown_in"` // the hit that has the same text
	}
}

// readHits reads the results of a page. A title that the server made of names, because the record shows none, is
// replaced by the title that was found, if any.
func readHits(results []json.RawMessage) []hit {
	hits := make([]hit, len(results))
	for i, result := range results {
		h := &hits[i]
		_ = json.Unmarshal(result, h) // a malformed hit has empty columns
		if strings.HasPrefix(h.Title, h.Source+" / ") {
			h.Title = ""
		}
		for _, found := range h.Evidence {
			if h.Title == "" && tool.TitleRole.Has(found.Field) {
				h.Title = unmarked.Replace(found.Preview)
			}
			h.Snippet = cmp.Or(h.Snippet, found.Preview)
		}
	}
	for i := range hits {
		isShownIn := func(other hit) bool { return other.Handle == hits[i].Evidence[0].ShownIn }
		if hits[i].Snippet != "" || len(hits[i].Evidence) == 0 {
			continue
		}
		if other := slices.IndexFunc(hits, isShownIn); other >= 0 {
			hits[i].Snippet = hits[other].Snippet
		}
	}
	return hits
}

var unmarked = strings.NewReplacer("<mark>", "", "</mark>", "")

// HitColumns are the columns of hits, in the order of a plain row.
var HitColumns = []string{HandleColumn, "title", "time", "stream", "source", "text", "author", "amount"}

// plainHits returns search results as plain rows.
func plainHits(results []json.RawMessage) []json.RawMessage {
	rows := make([]json.RawMessage, len(results))
	for i, h := range readHits(results) {
		var row rawjson.Object
		for at, value := range []string{h.Handle, h.Title, h.Time, h.Stream, h.Source, unmarked.Replace(h.Snippet), h.Author, h.Amount} {
			row = append(row, rawjson.String(HitColumns[at], value))
		}
		rows[i] = row.Encode()
	}
	return rows
}

// hitTable shows the words that were found. In a row without a title, they are its title.
func hitTable(results []json.RawMessage) *table {
	hits := readHits(results)
	for i := range hits {
		if hits[i].Title == unmarked.Replace(hits[i].Snippet) {
			hits[i].Title = ""
		}
		hits[i].Title = strings.TrimSpace(hits[i].Amount + " " + hits[i].Title) // as in a timeline
		hits[i].Snippet = startAtMark(invocation.OneLine(hits[i].Snippet))
	}
	cells := func(textOf func(hit) string) (texts []string) {
		for _, hit := range hits {
			texts = append(texts, textOf(hit))
		}
		return texts
	}
	table := &table{advice: "--format json", isSample: true}
	table.addColumn(column{name: "title", kind: titleKind, hasMarks: true}, cells(func(h hit) string { return h.Title }))
	table.addColumn(column{name: "text", kind: textKind, hasMarks: true}, cells(func(h hit) string { return h.Snippet }))
	table.addColumn(column{name: "author", kind: personKind}, cells(func(h hit) string { return h.Author }))
	times := cells(func(h hit) string { return h.Time })
	if local, zone, isTime := localTimes(times); isTime {
		times, table.zone = local, zone
	}
	table.addColumn(column{name: "time", kind: timeKind}, times)
	table.addColumn(column{name: "source", kind: otherKind}, cells(func(h hit) string { return h.Source }))
	table.addColumn(column{name: "stream", kind: otherKind}, cells(func(h hit) string { return h.Stream }))
	table.addColumn(column{name: HandleColumn, kind: handleKind}, cells(func(h hit) string { return h.Handle }))
	table.completeCells()
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
