package render

import (
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
)

// Records, groups and hits have one form in each channel. In structured output a row is an object. In text it is the
// array of its values, on one line under a line that names the columns once (R-BUD-7):
//
//	columns: ["handle","subject","seen"]
//	["cin_1/messages:m1","Hello",true]
//
// A row whose fields differ from the columns is an object in text too. Other members follow on the next line as an
// object, and then the calls that read more of the row, each indented:
//
//	["cin_1/messages:m2","It begins so…[2000 of 60000 characters shown]",true]
//	  next: read_record_field {"id":"cin_1/messages:m2","field_path":"subject","offset_chars":2000,"limit_chars":16384}
//
// Every value is JSON as it was sent, with invisible characters as escapes. Parsing a line gives the same values as
// parsing structured output.

const columnsWord = "columns: "

// indent begins a line that belongs to the row above it.
const indent = "\n  "

// columnsOf returns the fields that most rows have, in their order.
func columnsOf(rows []rawjson.Object) rawjson.Object {
	var most rawjson.Object
	count := 0
	for _, fields := range rows { // the majority, if there is one (Boyer and Moore)
		switch {
		case len(fields) == 0:
		case count == 0:
			most, count = fields, 1
		case sameNames(fields, most):
			count++
		default:
			count--
		}
	}
	return most
}

func sameNames(a, b rawjson.Object) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a { // slices.EqualFunc, which copies the members, takes three times as long
		if a[i].Name != b[i].Name {
			return false
		}
	}
	return true
}

// columnsLine names the columns, after first if first is not empty. It returns an empty string if there are no columns.
func columnsLine(first string, columns rawjson.Object) string {
	if len(columns) == 0 {
		return ""
	}
	names := columns.Names()
	if first != "" {
		names = append([]string{first}, names...)
	}
	return columnsWord + rawjson.Visible(rawjson.Strings("", names).Value)
}

type textRow struct {
	name   string // of the column before the fields; empty: the fields are all
	lead   string // its value
	fields rawjson.Object
	extra  rawjson.Object
	calls  []answer.Call
}

// append appends the row without a line break before or after it.
func (r textRow) append(text []byte, columns rawjson.Object) []byte {
	if len(columns) > 0 && sameNames(r.fields, columns) {
		text = append(text, '[')
		if r.name != "" {
			start := len(text)
			text = append(rawjson.MakeVisible(rawjson.AppendQuote(text, r.lead), start), ',')
		}
		for _, field := range r.fields {
			text = append(rawjson.AppendVisible(text, field.Value), ',')
		}
		text[len(text)-1] = ']'
		if len(r.extra) > 0 {
			text = rawjson.AppendVisible(append(text, indent...), r.extra.Encode())
		}
	} else {
		object := r.extra
		if r.name != "" {
			object = slices.Insert(slices.Clone(object), 0, rawjson.String(r.name, r.lead))
		}
		if r.fields != nil {
			object = append(object, rawjson.Raw("data", r.fields.Encode()))
		}
		text = rawjson.AppendVisible(text, object.Encode())
	}
	for _, call := range r.calls {
		text = append(append(text, indent...), Line(call)...)
	}
	return text
}
