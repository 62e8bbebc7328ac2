package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// sampleName is the member of a row in structured output that has the kinds and examples.
const sampleName = "fields_seen"

// timeField returns the field that says when the records happened, or an empty string (R-TIME-2).
func (r *row) timeField() string {
	if r.Sample == nil {
		return render.TimeField(r.Stream)
	}
	holds := func(name string, kinds ...string) bool {
		field := r.Sample.Fields[name]
		return field != nil && len(field.Kinds) > 0 && !slices.ContainsFunc(field.Kinds, func(kind string) bool { return !slices.Contains(kinds, kind) })
	}
	var times, dates []string
	for _, field := range r.Stream.Fields() {
		switch {
		case holds(field.Name, "time"):
			times = append(times, field.Name)
		case holds(field.Name, "time", "date"):
			dates = append(dates, field.Name)
		}
	}
	return tool.TimeField(r.Stream.Members, render.TimesByRole(r.Stream), append(times, dates...),
		func(name string) bool { return holds(name, "time", "date") })
}

// legendOf says where the kinds and the examples come from.
func legendOf(s *answer.Sample) string {
	if s.Records == 1 {
		return "kinds and examples seen in 1 recent record"
	}
	return fmt.Sprintf("kinds and examples seen in %d recent records", s.Records)
}

// byKind returns an object of the kinds in the order of the fields. Each kind holds its fields with an example, or
// null.
func byKind(s *answer.Sample, fields []schemadoc.Field) rawjson.Object {
	var kinds rawjson.Object
	examples := map[string]rawjson.Object{}
	for _, f := range fields {
		kind, example := "no value", rawjson.Value("null")
		if field := s.Fields[f.Name]; field != nil && len(field.Kinds) > 0 {
			kind, example = strings.Join(field.Kinds, " or "), field.Example
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
	for _, kind := range byKind(r.Sample, r.shownFields(shown.fields)) {
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
