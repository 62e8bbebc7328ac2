package schema

import (
	"cmp"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// detail has the rows of one stream.
type detail struct {
	*answer.Schema
	rows      []*row
	maxFields int // of any row
}

type row struct {
	*answer.StreamRow
	found     *answer.Schema
	like      *row                 // an earlier row with the same fields and flags, or nil
	relations []schemadoc.Relation // nil if the server sent no list of them
	isBare    bool                 // no capabilities are advertised
	sortsAny  bool                 // records can be read in the order of any field

	// Of a full row.
	schemas    rawjson.Object // the JSON Schemas of the fields
	schemaOf   map[string]rawjson.Value
	schemaLine string // describes them in the text
	isByField  bool   // the capability of each field has its schema
}

func newDetail(found *answer.Schema) *detail {
	d := &detail{Schema: found}
	byFields := map[string]*row{}
	for _, each := range found.Rows {
		r := &row{StreamRow: each, found: found, relations: each.Stream.Relations(), isBare: !schemadoc.Advertised(each.Fields), sortsAny: found.SortsAny}
		d.maxFields = max(d.maxFields, len(r.Fields))
		if found.IsFull {
			r.readSchemas()
		} else if len(r.Fields) > 0 {
			fields := encodeFields(r.Fields)
			if r.like = byFields[string(fields)]; r.like == nil {
				byFields[string(fields)] = r
			}
		}
		d.rows = append(d.rows, r)
	}
	return d
}

// render shows one stream's row of each source (R-SCH-3), or the full schema of one source (R-SCH-7), within the bounds
// of a result (R-BUD-2). It shows every row if some fields of each fit; otherwise it leaves out the last rows.
func (d *detail) render() (*tool.Result, error) {
	all := d.limited(portions[0])
	all.rows = len(d.rows)
	if result := d.fitFields(all); all.rows > 0 && result != nil { // as for most streams
		return result, nil
	}
	smallest := d.limited(portions[len(portions)-1])
	rows := render.Largest(0, len(d.rows), func(rows int) bool {
		smallest.rows, smallest.fields = rows, smallest.minFields
		return d.result(smallest) != nil
	})
	for _, shown := range portions {
		shown = d.limited(shown)
		shown.rows = rows
		if result := d.fitFields(shown); rows > 0 && result != nil {
			return result, nil
		}
	}
	advice := "name its connection_id"
	if d.IsFull {
		advice = "call " + tool.SchemaTool + " with stream and without detail"
	}
	return nil, &answer.TooLargeError{Origin: d.Origin, Message: "the schema of this stream does not fit into one result", NextStep: advice}
}

func (d *detail) result(shown portion) *tool.Result {
	calls := d.calls(shown)
	text := d.text(shown, calls)
	if text.isFull() {
		return nil
	}
	members := rawjson.Object{rawjson.Raw("data", d.data(shown).Encode()), rawjson.Raw("legend", d.legend(shown))}
	members = append(members, rawjson.Texts("note", limits(d.Schema))...)
	if len(shown.dropped) > 0 {
		members = append(members, rawjson.Strings("members_left_out", shown.dropped))
	}
	structured := render.Structured(answer.Origin{URL: d.URL}, members, calls)
	if render.Length(string(structured)) > render.ChannelCharacters {
		return nil
	}
	return &tool.Result{Text: strings.Join(text.lines, "\n"), Structured: structured}
}

// calls returns the call that shows what is left out: the first row that is not shown or not shown with all its fields,
// or the compact form of a full row.
func (d *detail) calls(shown portion) []answer.Call {
	for i, r := range d.rows {
		if d.ConnectionID == nil && len(d.rows) > 1 && (i >= shown.rows || len(r.Fields) > shown.fields) {
			if arguments := r.arguments(); arguments.Get(tool.SchemaConnectionID) != nil {
				return answer.Continue.As(schemaCall(arguments...))
			}
		}
	}
	if len(shown.dropped) > 0 {
		return answer.RepeatDifferently.As(schemaCall(d.rows[0].arguments()...))
	}
	return nil
}

// arguments returns the arguments that select the row in another call.
func (r *row) arguments() rawjson.Object {
	return rawjson.Texts(tool.SchemaStream, r.Stream.Name, tool.SchemaConnectionID, r.ConnectionID)
}

func (r *row) shownFields(limit int) []schemadoc.Field { return r.Fields[:min(len(r.Fields), limit)] }

func (r *row) leftOut(shown int) int { return max(0, len(r.Fields)-shown) + r.Unshown }

// portion limits what is shown of a stream's rows.
type portion struct {
	rows        int
	fields      int // of each row
	minFields   int // of each row that has them; if fewer fit, the next portion is tried
	connections int // of each row
	label       int // characters of a display name
	relations   int // of each row

	// Only for full rows. If no members are dropped, a row has every field, and every other member regardless of its size.
	dropped []string // members that are left out
	schema  int      // maximum bytes of one field's JSON Schema
}

// bulkyNames are members of a full row that are left out if the row does not fit. The JSON Schema and the flags of the
// row have the same information.
var bulkyNames = []string{"freshness", "query", "views", "relationships", capabilitiesName}

// portions are tried from the most to the least detailed.
var portions = []portion{
	{connections: 100_000, label: tool.LabelCharacters, relations: 50, minFields: 50, schema: render.ChannelCharacters},
	{connections: 50, label: 40, relations: 20, minFields: 50, dropped: bulkyNames, schema: 2_000},
	{connections: 1, relations: 1, minFields: 1, dropped: bulkyNames, schema: 500},
}

// limited adapts a portion to the rows. minFields does not exceed their fields. Compact rows drop no members. A full
// row that drops no members needs all its fields.
func (d *detail) limited(shown portion) portion {
	shown.minFields = min(d.maxFields, shown.minFields)
	if !d.IsFull {
		shown.dropped = nil
	} else if shown.dropped == nil {
		shown.minFields = d.maxFields
	}
	return shown
}

// fitFields returns the result with as many fields as fit, or nil if fewer than the minimum fit.
func (d *detail) fitFields(shown portion) (result *tool.Result) {
	fits := func(fields int) bool {
		shown.fields = fields
		fitting := d.result(shown)
		result = cmp.Or(fitting, result)
		return fitting != nil
	}
	if !fits(d.maxFields) && shown.minFields < d.maxFields && fits(shown.minFields) {
		render.Largest(shown.minFields, d.maxFields, fits)
	}
	return result
}
