package operation

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Bounds of what schema reads of streams whose fields the server does not advertise (R-SCH-11).
const (
	sampleRecords     = 2 // of one stream of one connector
	sampledRows       = 3 // the streams of further connectors are shown by the names of their fields
	sampleTime        = 2 * time.Second
	exampleCharacters = 25
)

// seenName is the member of a row in structured output that has the kinds and examples.
const seenName = "fields_seen"

// seenField is what the recent records show of one field.
type seenField struct {
	kinds   []string // distinct; empty if every value was null
	example rawjson.Value
}

// sample is what the most recent records of a stream show of its fields.
type sample struct {
	records int
	fields  map[string]*seenField
}

// readSamples reads the most recent records of rows about whose fields nothing is advertised. A row keeps a nil sample if its
// records cannot be read in time, since the schema is useful without them.
func (d *detail) readSamples(ctx context.Context, env tool.Env) {
	ctx, cancel := context.WithTimeout(ctx, sampleTime)
	defer cancel()
	read := 0
	for _, r := range d.rows {
		if r.like == nil && len(r.fields) > 0 && r.isBare() && read < sampledRows {
			r.sample = readSample(ctx, env, r.arguments(d.input))
			read++
		}
	}
}

// readSample reads the records of the stream that the arguments of schema name.
func readSample(ctx context.Context, env tool.Env, named rawjson.Object) *sample {
	stream, request := named.Text(tool.SchemaStream), rs.Request{}
	source := rs.OneSource{Stream: stream}
	if connection := named.Text(tool.SchemaConnectionID); connection != "" {
		source.ConnectionID = &connection
	}
	request.Path, request.Sources = rs.JoinPath("v1", "streams", stream, "records"), source
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
	seen := &sample{fields: map[string]*seenField{}}
	for _, row := range list.Rows[:min(len(list.Rows), sampleRecords)] {
		record, _ := rawjson.ParseObject(row)
		if fields, ok := rawjson.ParseObject(record.Get("data")); ok {
			seen.add(fields)
		}
	}
	return seen
}

func (s *sample) add(record rawjson.Object) {
	s.records++
	for _, member := range record {
		field := s.fields[member.Name]
		if field == nil {
			field = &seenField{}
			s.fields[member.Name] = field
		}
		kind := kindOfValue(member.Value)
		if kind == "" || slices.Contains(field.kinds, kind) {
			continue
		}
		field.kinds = append(field.kinds, kind)
		if field.example == nil {
			field.example = exampleOf(member.Value)
		}
	}
}

// kindOfValue is the kind of a value as R-SCH-11 names it. It is empty for null.
func kindOfValue(value rawjson.Value) string {
	switch rawjson.Kind(value) {
	case rawjson.ObjectValue:
		return "object"
	case rawjson.ArrayValue:
		return "list"
	case rawjson.Number:
		return "number"
	case rawjson.Boolean:
		return "boolean"
	case rawjson.StringValue:
		return kindOfText([]byte(rawjson.TextOf(value)))
	}
	return ""
}

func kindOfText(text []byte) string {
	if _, isTime := scalar.Instant(text); isTime && scalar.IsDate(text) {
		return "date"
	} else if isTime {
		return "time"
	}
	if _, isNumber := scalar.ParseDecimal(text); isNumber {
		return "number as text"
	}
	return "text"
}

// exampleOf is the value, or the beginning of its text if it is too long.
func exampleOf(value rawjson.Value) rawjson.Value {
	text, isText := rawjson.Text(value)
	if !isText {
		text = rawjson.Visible(value)
	}
	switch {
	case render.Length(text) > exampleCharacters:
		return rawjson.Quote(tool.Clip(text, exampleCharacters-1) + "…")
	case isText:
		return rawjson.Quote(text)
	}
	return value
}

// legend says where the kinds and the examples come from.
func (s *sample) legend() string {
	if s.records == 1 {
		return "kinds and examples seen in 1 recent record"
	}
	return fmt.Sprintf("kinds and examples seen in %d recent records", s.records)
}

// byKind groups the first fields by the kind of their values, in the order in which the kinds occur, each with its example. A
// field that had no value is null.
func (s *sample) byKind(fields []schemadoc.Field) rawjson.Object {
	var kinds []string
	examples := map[string]rawjson.Object{}
	for _, f := range fields {
		kind, example := "no value", rawjson.Value("null")
		if field := s.fields[f.Name]; field != nil && len(field.kinds) > 0 {
			kind, example = strings.Join(field.kinds, " or "), field.example
		}
		if examples[kind] == nil {
			kinds = append(kinds, kind)
		}
		examples[kind] = append(examples[kind], rawjson.Raw(f.Name, example))
	}
	grouped := make(rawjson.Object, len(kinds))
	for i, kind := range kinds {
		grouped[i] = rawjson.Raw(kind, examples[kind].Encode())
	}
	return grouped
}

// addSample adds a line for each kind of value, with its fields and their examples.
func (r *row) addSample(t *boundedText, shown portion) {
	for _, kind := range r.sample.byKind(r.fields[:min(len(r.fields), shown.fields)]) {
		fields, _ := rawjson.ParseObject(kind.Value)
		words := make([]string, len(fields))
		for i, field := range fields {
			words[i] = render.RawToken(field.Name, field.Value)
			if string(field.Value) == "null" {
				words[i] = render.ListedName(field.Name)
			}
		}
		t.add(" " + kind.Name + ": " + strings.Join(words, " "))
	}
}
