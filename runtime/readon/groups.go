package readon

import (
	"context"

	"github.com/pdppmcp/pdpp-mcp/runtime/condition"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tally"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// GroupsInput is what an aggregate asks for. A nil member was not given.
type GroupsInput struct {
	Stream       string
	Metric       string
	Field        *string
	GroupBy      *string
	GroupByTime  *string
	Granularity  *string
	TimeZone     *string
	Limit        *int64
	Filter       rs.Filter
	ConnectionID *string
}

func (i GroupsInput) query() tally.Query {
	query := tally.Query{
		Stream: i.Stream, Metric: i.Metric, Field: text(i.Field), GroupBy: text(i.GroupBy), GroupByTime: text(i.GroupByTime),
		Granularity: text(i.Granularity), TimeZone: text(i.TimeZone),
	}
	if i.Limit != nil {
		query.Limit = int(*i.Limit)
	}
	return query
}

func text(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}

// Groups reads an aggregate. Where the resource server refuses filters as such (R-SCAN-1), or does not measure or group so
// (R-SCAN-3), the adapter tallies the records. Its error is that of env.Get, or an *tool.Error: what the resource server would
// refuse too, or a caller who reads too much already.
func Groups(ctx context.Context, env tool.Env, request rs.Request, input GroupsInput) (*rs.Response, error) {
	if env.Readings == nil {
		return env.Get(ctx, request)
	}
	tallied, wrong := tally.New(input.query())
	filters := len(input.Filter) > 0 && env.Readings.Refuses(env.RS.ProviderURL())
	if !filters {
		response, err := env.Get(ctx, request)
		switch {
		case err == nil:
			return response, nil
		case len(input.Filter) > 0 && isOfFilters(err):
			env.Readings.NoteRefusal(env.RS.ProviderURL())
			filters = true
		case wrong != nil || !isOfMeasure(err):
			return nil, err
		}
	}
	if wrong != nil {
		return nil, &tool.Error{Code: tool.InvalidArguments, Message: wrong.Error(), Cause: wrong}
	}
	q := &groups{request: request, input: input, tally: tallied, filters: filters}
	return q.read(ctx, env)
}

// groups is an aggregate in the making.
type groups struct {
	request rs.Request
	input   GroupsInput
	tally   *tally.Tally
	filters bool // the filter is applied here
}

func (q *groups) read(ctx context.Context, env tool.Env) (*rs.Response, error) {
	var local rs.Filter
	records := rs.Request{Path: rs.JoinPath("v1", "streams", q.input.Stream, "records"), Sources: q.request.Sources}
	if q.filters {
		local = q.input.Filter
	} else {
		records.Query.BracketFilter(filterName, q.input.Filter)
	}
	records.Query.String(connectionName, q.input.ConnectionID)
	filter, err := newFilter(local)
	if err != nil {
		return nil, err
	}
	r, err := begin(ctx, env, kindGroups)
	if err != nil {
		return nil, err
	}
	defer r.end()
	l := r.newList(records, names(q.tally.Fields(), filter.Fields()), place{})
	defer l.drop()
	l.toEnd = true
	for {
		page, err := l.page()
		if err != nil {
			return nil, err
		}
		if page == nil {
			break
		}
		for _, row := range page.rows {
			l.look(row)
			q.add(l, row, filter)
		}
		if last := len(page.rows) - 1; last >= 0 {
			l.UpTo = l.mark(page.rows[last])
		}
	}
	return l.answer(q.request, q.body(filter)), nil
}

func (q *groups) add(l *list, row record, filter *condition.Filter) {
	if filter.Match(row.fields) {
		l.Matched++
		q.tally.Add(row.fields)
	}
}

func (q *groups) body(filter *condition.Filter) rawjson.Object {
	body := q.tally.Body()
	if warnings := warningsOf(filter, q.tally.Warnings()...); warnings != nil {
		body = append(body, rawjson.Raw("meta", rawjson.Object{rawjson.Raw("warnings", rawjson.Array(warnings))}.Encode()))
	}
	return body
}
