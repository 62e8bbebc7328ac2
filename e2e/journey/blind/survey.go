package blind

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
)

// Asked is a question and what the reader understood of the answer: one of Page and Aggregate.
type Asked struct {
	Call
	Page      *Page
	Aggregate *Aggregate
}

// Survey is a stream and everything that its legend says can be asked of it, asked once.
type Survey struct {
	Source Source
	Stream Stream
	Asked  []Asked
}

// Sizes of the questions of a survey.
const (
	sampleRows  = 20
	answerRows  = 15
	maxGroups   = 100 // the largest that the argument takes
	projections = 3   // fields
)

// Survey reads the index, the stream's row and a few records, whose values it then asks for.
func (r *Reader) Survey(ctx context.Context, topic Topic) (Survey, error) {
	source, err := r.Source(ctx, topic)
	if err != nil {
		return Survey{}, err
	}
	base := Arguments{"stream": source.Stream, "connection_id": source.ConnectionID}
	stream, err := look(ctx, r, base.call("schema"), r.channel.Stream)
	if err != nil {
		return Survey{}, err
	}
	sample, err := look(ctx, r, base.With("limit", sampleRows).call("query_records"), r.channel.Page)
	if err != nil {
		return Survey{}, err
	}
	survey := Survey{Source: source, Stream: stream}
	for _, call := range questions(base, stream, sample.Rows) {
		asked := Asked{Call: call}
		if call.Tool == "aggregate" {
			aggregate, err := look(ctx, r, call, r.channel.Aggregate)
			if err != nil {
				return survey, err
			}
			asked.Aggregate = &aggregate
		} else {
			page, err := look(ctx, r, call, r.channel.Page)
			if err != nil {
				return survey, err
			}
			asked.Page = &page
		}
		survey.Asked = append(survey.Asked, asked)
	}
	return survey, nil
}

// questions returns a filter, a sort, a projection and an aggregate for everything that the legend explains.
func questions(base Arguments, stream Stream, rows []Row) []Call {
	var filters []json.RawMessage
	var calls []Call
	for _, field := range stream.Fields {
		filters = append(filters, fieldFilters(stream, field, rows)...)
		calls = append(calls, aggregates(base, stream, field)...)
	}
	page := base.With("limit", answerRows).With("count", "exact")
	for i, filter := range filters {
		calls = append(calls, page.With("filter", filter).call("query_records"))
		if i%4 == 0 {
			calls = append(calls, base.With("filter", filter).With("metric", "count").call("aggregate"))
		}
	}
	for i, sort := range stream.Sorts {
		calls = append(calls, page.With("sort", sort).call("query_records"))
		if len(filters) > 0 { // all of them together
			names := someNames(stream, i)
			calls = append(calls,
				page.With("sort", sort).With("fields", names).With("filter", filters[len(filters)-1]).call("query_records"))
		}
	}
	return append(calls, page.With("fields", someNames(stream, 0)).call("query_records"))
}

func someNames(stream Stream, from int) []string {
	var names []string
	for i := from; i < len(stream.Fields) && len(names) < projections; i += 2 {
		names = append(names, stream.Fields[i].Name)
	}
	return names
}

// fieldFilters returns an exact filter and one for each range operator, with values that were seen.
func fieldFilters(stream Stream, field Field, rows []Row) []json.RawMessage {
	values := valuesOf(field.Name, rows)
	if len(values) == 0 {
		return nil
	}
	var filters []json.RawMessage
	if _, exact := field.Flags["eq"]; exact {
		filters = append(filters, stream.filter("eq", field.Name, "", values[len(values)/2]))
		if slices.Contains(field.Flags["t"], "boolean") {
			filters = append(filters, stream.filter("eq", field.Name, "", json.RawMessage("true")),
				stream.filter("eq", field.Name, "", json.RawMessage("false")))
		}
	}
	for i, operator := range field.Flags["r"] {
		filters = append(filters, stream.filter("r", field.Name, operator, values[i%len(values)]))
	}
	return slices.DeleteFunc(filters, func(filter json.RawMessage) bool { return filter == nil })
}

// valuesOf returns the distinct texts, numbers and booleans of a field that rows show whole.
func valuesOf(name string, rows []Row) []json.RawMessage {
	var values []json.RawMessage
	for _, row := range rows {
		value, shown := row.Values[name]
		if !shown || len(value) == 0 || string(value) == "null" || value[0] == '{' || value[0] == '[' ||
			string(value) == `""` {
			continue
		}
		if !slices.ContainsFunc(values, func(seen json.RawMessage) bool { return string(seen) == string(value) }) {
			values = append(values, value)
		}
	}
	slices.SortFunc(values, func(a, b json.RawMessage) int { return cmp.Compare(string(a), string(b)) })
	return values
}

// aggregates returns one for each metric or grouping that a field has and the legend explains.
func aggregates(base Arguments, stream Stream, field Field) []Call {
	if !stream.explains("a") {
		return nil
	}
	var calls []Call
	for _, metric := range field.Flags["a"] {
		switch metric {
		case "group_by":
			calls = append(calls,
				base.With("metric", "count").With("group_by", field.Name).With("limit", maxGroups).call("aggregate"))
		case "group_by_time":
			calls = append(calls, base.With("metric", "count").With("group_by_time", field.Name).
				With("granularity", "month").With("limit", maxGroups).call("aggregate"))
		default:
			calls = append(calls, base.With("metric", metric).With("field", field.Name).call("aggregate"))
		}
	}
	return calls
}
