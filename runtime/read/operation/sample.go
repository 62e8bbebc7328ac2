package operation

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Bounds of what schema reads of streams whose fields have no advertised capabilities (R-SCH-11).
const (
	sampleRecords     = 2 // of one row
	sampledRows       = 3
	sampleTime        = 2 * time.Second
	exampleCharacters = 25
)

// readSamples reads recent records of rows that advertise only names of fields, once for rows with the same names. A
// row that cannot be read in time has no sample.
func readSamples(ctx context.Context, env tool.Env, rows []*answer.StreamRow) {
	ctx, cancel := context.WithTimeout(ctx, sampleTime)
	defer cancel()
	read := map[string]bool{} // by the names of the fields
	for _, row := range rows {
		if len(row.Fields) == 0 || !row.HasNamesOnly() || len(read) == sampledRows {
			continue
		}
		if names := fmt.Sprintf("%q", row.Fields); !read[names] {
			read[names] = true
			row.Sample = readSample(ctx, env, row)
		}
	}
}

// readSample reads records of a row. It returns nil if it finds no record.
func readSample(ctx context.Context, env tool.Env, row *answer.StreamRow) *answer.Sample {
	source := rs.OneSource{Stream: row.Stream.Name, GrantID: row.GrantID}
	if row.ConnectionID != "" {
		source.ConnectionID = &row.ConnectionID
	}
	request := rs.Request{Path: rs.RecordsPath(source.Stream), Sources: source}
	request.Query.Set(wire.Limit, fmt.Sprint(sampleRecords))
	request.Query.Set(wire.Order, "desc")
	request.Query.String(wire.ConnectionID, source.ConnectionID)
	response, err := env.RS.Get(ctx, request)
	if err != nil {
		return nil
	}
	list, err := response.List()
	if err != nil || len(list.Rows) == 0 {
		return nil
	}
	sample := &answer.Sample{Fields: map[string]*answer.SampledField{}}
	for _, row := range list.Rows[:min(len(list.Rows), sampleRecords)] {
		record, _ := rawjson.ParseObject(row)
		if fields, ok := rawjson.ParseObject(record.Get("data")); ok {
			add(sample, fields)
		}
	}
	return sample
}

func add(sample *answer.Sample, record rawjson.Object) {
	sample.Records++
	for _, member := range record {
		field := sample.Fields[member.Name]
		if field == nil {
			field = &answer.SampledField{}
			sample.Fields[member.Name] = field
		}
		kind := kindOf(member.Value)
		if kind == "" || slices.Contains(field.Kinds, kind) {
			continue
		}
		field.Kinds = append(field.Kinds, kind)
		if field.Example == nil {
			field.Example = exampleOf(member.Value)
		}
	}
}

// kinds are the kinds of R-SCH-11 for values that are not strings or null.
var kinds = map[rawjson.ValueKind]string{
	rawjson.ObjectValue: "object", rawjson.ArrayValue: "list", rawjson.Number: "number", rawjson.Boolean: "boolean",
}

// kindOf returns the kind of a value as R-SCH-11 names it, or "" for null.
func kindOf(value rawjson.Value) string {
	if rawjson.Kind(value) != rawjson.StringValue {
		return kinds[rawjson.Kind(value)]
	}
	text := []byte(rawjson.TextOf(value))
	_, isTime := scalar.Instant(text)
	_, isNumber := scalar.ParseDecimal(text)
	switch {
	case isTime && scalar.IsDate(text):
		return "date"
	case isTime:
		return "time"
	case isNumber:
		return "number as text"
	}
	return "text"
}

// exampleOf returns a value, or its beginning if it is too long: of a text, or of the first value that a list or an
// object holds.
func exampleOf(value rawjson.Value) rawjson.Value {
	text, isText := rawjson.Text(value)
	if !isText {
		text = rawjson.Visible(value)
	}
	elements, _ := rawjson.Elements(value)
	members, _ := rawjson.ParseObject(value)
	switch {
	case !isText && render.Length(text) <= exampleCharacters:
		return value
	case elements != nil && !rawjson.IsNested(elements[0]):
		return rawjson.Array([]rawjson.Value{exampleOf(elements[0])})
	case members != nil && !rawjson.IsNested(members[0].Value):
		return rawjson.Object{rawjson.Raw(members[0].Name, exampleOf(members[0].Value))}.Encode()
	case render.Length(text) > exampleCharacters:
		text = tool.Shorten(text, exampleCharacters-1)
	}
	return rawjson.Quote(text)
}
