package readon

import (
	"context"
	"fmt"
	"strings"
	"time"

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
	if zone := env.Clock.Location(); input.GroupByTime != nil && input.TimeZone == nil && zone != time.UTC { // R-TIME-8
		name := zone.String()
		input.TimeZone = &name
		request.Query.String(zoneName, input.TimeZone)
	}
	tallied, wrong := tally.New(input.query())
	if env.Readings == nil || !isNarrowable(input.Filter) {
		return env.Get(ctx, request)
	}
	filters := len(input.Filter) > 0 && env.Readings.Refuses(rs.Origins(env.RS, request))
	if !filters {
		response, err := env.Get(ctx, request)
		switch {
		case err == nil:
			return response, nil
		case len(input.Filter) > 0 && isOfFilters(err):
			env.Readings.NoteRefusal(rs.Origins(env.RS, request))
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
	filter := condition.New(local)
	r, err := begin(ctx, env, kindGroups)
	if err != nil {
		return nil, err
	}
	defer r.end()
	l := r.newList(records, names(q.tally.Fields(), filter.Fields()), q.from(env))
	defer l.forget()
	l.toEnd, l.whole = true, 2
	l.ask()
	l.edge = l.edgeOf(local, "")
	if err := q.add(l, filter); err != nil {
		return nil, err
	}
	l.Groups = q.tally.Groups()
	return l.answer(q.request, q.body(filter)), nil
}

// from is where the records begin that are to be tallied: where a reading stopped whose rest this is, else the beginning.
func (q *groups) from(env tool.Env) place {
	if kept := env.Readings.Stop(env.Caller, tool.QuestionOf(q.request)); kept != "" && q.filters {
		if from, _, err := placeIn(env, &kept, q.request); err == nil {
			return from
		}
	}
	return place{}
}

// add tallies the records of a list.
func (q *groups) add(l *list, filter *condition.Filter) error {
	held := &remainder{list: l, request: q.request, filter: q.input.Filter, tally: q.tally, narrow: names(q.tally.Fields(), filter.Fields())}
	defer held.drop()
	for {
		page, err := l.page()
		if err != nil {
			return err
		}
		if page == nil {
			held.settle()
			return nil
		}
		if l.isFanned(page) {
			connections := len(l.connections)
			take := func(row record) { held.add(heldRecord{record: row, matches: filter.Match(row.fields)}) }
			if err := l.takeFanned(page, take); err != nil {
				return err
			}
			// Without their order no record is held back; that they are several is said (R-AGG-4).
			l.Note = strings.TrimSpace(fmt.Sprintf("%d connections are counted together. %s", connections, l.Note))
			return nil
		}
		held.before()
		for i, row := range page.rows[page.from:] {
			if l.passes(row) {
				break
			}
			held.add(heldRecord{record: row, matches: filter.Match(row.fields), page: page, at: page.from + i})
		}
		held.behind()
	}
}

func (q *groups) body(filter *condition.Filter) rawjson.Object {
	body := q.tally.Body()
	warnings := warningsOf(filter, q.tally.Warnings()...)
	warnings = withSpelled(warnings, q.tally.Spelled())
	if meta := withWarnings(nil, warnings); meta != nil {
		body = append(body, rawjson.Raw("meta", meta.Encode()))
	}
	return body
}
