package operation

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
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

// sampleName is the member of a row in structured output that has the kinds and examples.
const sampleName = "fields_seen"

// sample is what the most recent records of a stream show of its fields.
type sample struct {
	records int
	fields  map[string]*sampledField
}

// sampledField has the distinct kinds of a field's values, and the first value. A field that only had nulls has no kinds.
type sampledField struct {
	kinds   []string
	example rawjson.Value
}

// readSamples reads recent records of rows that advertise only names of fields. A row that cannot be read in time has no sample.
func (d *detail) readSamples(ctx context.Context, env tool.Env) {
	ctx, cancel := context.WithTimeout(ctx, sampleTime)
	defer cancel()
	read := 0
	for _, r := range d.rows {
		if r.like == nil && len(r.fields) > 0 && r.hasNamesOnly() && read < sampledRows {
			r.sample = readSample(ctx, env, r.arguments(d.input))
			read++
		}
	}
}

// readSample reads records of the stream and the connection that arguments of schema name. It returns nil if it finds no record.
func readSample(ctx context.Context, env tool.Env, arguments rawjson.Object) *sample {
	source := rs.OneSource{Stream: arguments.Text(tool.SchemaStream)}
	if connection := arguments.Text(tool.SchemaConnectionID); connection != "" {
		source.ConnectionID = &connection
	}
	request := rs.Request{Path: rs.JoinPath("v1", "streams", source.Stream, "records"), Sources: source}
	request.Query.Set("limit", fmt.Sprint(sampleRecords))
	request.Query.Set("order", "desc")
	request.Query.String("connection_id", source.ConnectionID)
	response, err := env.RS.Get(ctx, request)
	if err != nil {
		return nil
	}
	list, err := response.List()
	if err != nil || len(list.Rows) == 0 {
		return nil
	}
	s := &sample{fields: map[string]*sampledField{}}
	for _, row := range list.Rows[:min(len(list.Rows), sampleRecords)] {
		record, _ := rawjson.ParseObject(row)
		if fields, ok := rawjson.ParseObject(record.Get("data")); ok {
			s.add(fields)
		}
	}
	return s
}

func (s *sample) add(record rawjson.Object) {
	s.records++
	for _, member := range record {
		field := s.fields[member.Name]
		if field == nil {
			field = &sampledField{}
			s.fields[member.Name] = field
		}
		kind := kindOf(member.Value)
		if kind == "" || slices.Contains(field.kinds, kind) {
			continue
		}
		field.kinds = append(field.kinds, kind)
		if field.example == nil {
			field.example = exampleOf(member.Value)
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

// exampleOf returns a value, or the beginning of its text if it is too long.
func exampleOf(value rawjson.Value) rawjson.Value {
	text, isText := rawjson.Text(value)
	if !isText {
		text = rawjson.Visible(value)
	}
	switch {
	case render.Length(text) > exampleCharacters:
		return rawjson.Quote(tool.Shorten(text, exampleCharacters-1))
	case isText:
		return rawjson.Quote(text)
	}
	return value
}

// timeField returns the field that says when the records happened, or an empty string (R-TIME-2).
func (r *row) timeField() string {
	if r.sample == nil {
		return render.TimeField(r.stream)
	}
	return tool.TimeField(r.stream.Members, func(name string) bool {
		field := r.sample.fields[name]
		return field != nil && len(field.kinds) > 0 && !slices.ContainsFunc(field.kinds, func(kind string) bool { return kind != "time" && kind != "date" })
	})
}

// legend says where the kinds and the examples come from.
func (s *sample) legend() string {
	if s.records == 1 {
		return "kinds and examples seen in 1 recent record"
	}
	return fmt.Sprintf("kinds and examples seen in %d recent records", s.records)
}

// byKind returns an object of the kinds in the order of the fields. Each kind holds its fields with an example, or null.
func (s *sample) byKind(fields []schemadoc.Field) rawjson.Object {
	var kinds rawjson.Object
	examples := map[string]rawjson.Object{}
	for _, f := range fields {
		kind, example := "no value", rawjson.Value("null")
		if field := s.fields[f.Name]; field != nil && len(field.kinds) > 0 {
			kind, example = strings.Join(field.kinds, " or "), field.example
		}
		if examples[kind] == nil {
			kinds = append(kinds, rawjson.Member{Name: kind})
		}
		examples[kind] = append(examples[kind], rawjson.Raw(f.Name, example))
	}
	for i := range kinds {
		kinds[i].Value = examples[kinds[i].Name].Encode()
	}
	return kinds
}

// addSample adds a line for each kind with its fields and their examples.
func (r *row) addSample(t *boundedText, shown portion) {
	for _, kind := range r.sample.byKind(r.shownFields(shown.fields)) {
		fields, _ := rawjson.ParseObject(kind.Value)
		words := make([]string, len(fields))
		for i, field := range fields {
			words[i] = render.RawToken(field.Name, field.Value)
			if rawjson.Kind(field.Value) == rawjson.Null {
				words[i] = render.ListedName(field.Name)
			}
		}
		t.add(" " + kind.Name + ": " + strings.Join(words, " "))
	}
}
