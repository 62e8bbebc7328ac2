package scan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/condition"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/tally"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// GroupsInput has the arguments of an aggregate. A nil member was not given.
type GroupsInput struct {
	Call         answer.Given
	Stream       string
	Metric       string
	Field        *string
	GroupBy      *string
	GroupByTime  *string
	Granularity  *string
	TimeZone     *string
	Sort         *string
	Limit        *int64
	Cursor       *string
	Filter       rs.Filter
	ConnectionID *string
}

func (i GroupsInput) query() tally.Query {
	query := tally.Query{
		Stream: i.Stream, Metric: i.Metric, Field: scalar.OrZero(i.Field), GroupBy: scalar.OrZero(i.GroupBy), GroupByTime: scalar.OrZero(i.GroupByTime),
		Granularity: scalar.OrZero(i.Granularity), TimeZone: scalar.OrZero(i.TimeZone), Sort: scalar.OrZero(i.Sort),
	}
	if i.Limit != nil {
		query.Limit = int(*i.Limit)
	}
	return query
}

// Groups reads an aggregate. The adapter tallies the records if the resource server refuses all filters (R-SCAN-1),
// does not offer the metric or the grouping (R-SCAN-3, R-TIME-7), or does not return all groups in the order of sort
// (R-AGG-5). It returns the errors of the reader, or a *tool.Error for an argument that the resource server would
// refuse too, or for a caller with too many readings.
func Groups(ctx context.Context, env tool.Env, request rs.Request, input GroupsInput) (*tool.Answer, error) {
	places, err := input.places(env, request)
	if err != nil {
		return nil, err
	}
	found, err := readGroups(ctx, env, request, input, places.Skipped())
	if err != nil {
		return nil, err
	}
	if env.Readings != nil && found.IsGrouped && found.IsWhole() && input.Stream != tool.EveryStream {
		found.Places = places
	}
	input.leadToExtreme(env, found)
	limits := limitsOfStream(env, input.Stream, input.ConnectionID, input.Filter, false, found.Coverage)
	found.SetLimits(limits, &found.Envelope)
	return tool.Answered(found, render.Aggregate), nil
}

// places returns the places of the groups. Their cursors are bound to the arguments of the call, also to the order,
// which no request has.
func (i GroupsInput) places(env tool.Env, request rs.Request) (tool.Places, error) {
	request.Query = request.Query.Without(wire.Cursor)
	request.Query.String(wire.Sort, i.Sort)
	request.Query.String(wire.Cursor, i.Cursor)
	start, err := tool.PlaceOf(request)
	switch {
	case err != nil:
	case start.Cursor != "", start.Skip > 0 && i.Stream == tool.EveryStream:
		err = errOtherCall
	case start.Skip > 0 && env.Readings == nil:
		err = errReadingOff
	}
	return tool.PlacesOf(request), err
}

// readGroups reads the groups after the skipped ones.
func readGroups(
	ctx context.Context, env tool.Env, request rs.Request, input GroupsInput, skipped int,
) (*answer.Groups, error) {
	if input.Stream == tool.EveryStream {
		return readCounts(ctx, env, request, input)
	}
	q := newGroups(ctx, env, request, input)
	q.query.Skip = skipped
	found, err := q.find(ctx, env)
	if err == nil && found.Reading == nil && !found.IsSorted() {
		found = (&joining{ctx, env, q.request, input}).complete(found)
	}
	if err == nil && q.ignoredZone != "" {
		note, noted := tally.DatesAsWritten(*input.GroupByTime, q.ignoredZone), warnings(found.Warnings)
		noted.add(note.Code, note.Message)
		found.Warnings = noted
	}
	return found, err
}

// newGroups sets the zone of groups by time.
func newGroups(ctx context.Context, env tool.Env, request rs.Request, input GroupsInput) *groups {
	isOwnZone := input.TimeZone != nil
	asked := cmp.Or(scalar.OrZero(input.TimeZone), env.Clock.Location().String())
	q := &groups{}
	switch {
	case input.GroupByTime == nil:
		input.TimeZone = nil // used only for groups by time
	case asked != time.UTC.String() && (!isOwnZone || tally.ShiftsDates(asked, scalar.OrZero(input.Granularity))) && holdsDates(ctx, env, input):
		request.Query = request.Query.Without(wire.TimeZone)
		if input.TimeZone = nil; isOwnZone {
			q.ignoredZone = asked
		}
	case !isOwnZone && asked != time.UTC.String():
		input.TimeZone = &asked
		request.Query.String(wire.TimeZone, input.TimeZone)
	}
	q.request, q.input, q.query = request, input, input.query()
	q.query.AsWritten = !isOwnZone
	return q
}

// find reads the aggregate. The resource server may have cut its groups.
func (q *groups) find(ctx context.Context, env tool.Env) (*answer.Groups, error) {
	input, query := q.input, q.query
	tallied, wrong := tally.New(query)
	isCycle := tally.IsCycle(query.Granularity)
	if env.Readings == nil || !isNarrowable(input.Filter) {
		if wrong == nil && isCycle {
			return nil, readingOff(wire.Granularity, "")
		}
		if wrong == nil && input.Sort != nil {
			return nil, readingOff(wire.Sort, "")
		}
		return getGroups(ctx, env, q.request, input)
	}
	q.tally = tallied
	var refused error // the refusal of the call; a reading may answer it
	q.filters = len(input.Filter) > 0 && env.Readings.Refuses(rs.Origins(env.RS, q.request))
	if !q.filters && !isCycle && query.Skip == 0 { // a resource server returns the first groups only
		found, err := q.askServer(ctx, env)
		switch {
		case err == nil && q.isUnmatched(found):
			return q.explained(ctx, env, found), nil
		case err == nil && q.isServerOrder():
			return found, nil
		case err == nil:
			if q.sort(found) {
				return found, nil
			}
		case q.refusesFilter(env, err):
		case wrong != nil || !isMeasureRefusal(err) || q.isPlainCount() && q.isAdvertised(ctx, env):
			return nil, err
		default:
			refused, q.refusal = err, asRefused(err)
		}
	}
	if wrong != nil {
		return nil, &tool.Error{Code: tool.InvalidArguments, Message: wrong.Error(), Cause: wrong}
	}
	found, err := q.read(ctx, env)
	if q.refusesFilter(env, err) {
		q.tally, _ = tally.New(query) // checked above
		found, err = q.read(ctx, env)
	}
	if err == nil && !q.filters && q.isUnmatched(found) {
		found = q.explained(ctx, env, found)
	}
	if errors.As(err, new(*rs.Error)) && refused != nil {
		return nil, refused // the refusal of the call is more precise than the refusal of the reading (R-ERR-1)
	}
	return found, err
}

// readingOff refuses an argument, or a part of it, that needs a reading by the adapter.
func readingOff(parameter, part string) *tool.Error {
	return &tool.Error{
		Code: tool.InvalidArguments, Param: parameter,
		Message: strings.TrimSpace(parameter+" "+part) + " needs records that the adapter reads, and --read-on 0 turns that off; leave it out, or pass another value",
	}
}

// holdsDates reports whether the newest values of the time field are dates. A date has no zone: a resource server that
// converts it can move it to the day before.
func holdsDates(ctx context.Context, env tool.Env, input GroupsInput) bool {
	newest := recordsOfStream(input.Stream, input.ConnectionID, input.Filter)
	newest.Query.Set(wire.Limit, strconv.Itoa(recentRecords))
	newest.Query.Set(wire.Fields, *input.GroupByTime)
	response, err := env.RS.Get(ctx, newest)
	if err != nil {
		return false
	}
	defer response.Release()
	list, err := response.List()
	if err != nil {
		return false
	}
	holds := false
	for _, record := range recordsOf(list) {
		value := record.fields.Member(*input.GroupByTime)
		isText := rawjson.Kind(value) == rawjson.StringValue
		if isText && !scalar.IsDate(scalar.TextOf(value)) {
			return false
		}
		holds = holds || isText
	}
	return holds
}

// recordsOfStream returns a request for records. The filter is the caller's; the request does not send it.
func recordsOfStream(stream string, connectionID *string, filter rs.Filter) rs.Request {
	request := rs.Request{
		Path: rs.RecordsPath(stream), Sources: rs.OneSource{Stream: stream, ConnectionID: connectionID, Filter: filter},
	}
	request.Query.String(wire.ConnectionID, connectionID)
	return request
}

type groups struct {
	request rs.Request
	input   GroupsInput
	query   tally.Query
	tally   *tally.Tally
	filters bool // the adapter applies the filter

	refusal     *rs.Error // of the aggregate that the adapter computes; nil: none
	ignoredZone string    // the caller's, of a field of dates; empty: none
}

func (q *groups) read(ctx context.Context, env tool.Env) (*answer.Groups, error) {
	var local rs.Filter // the filter that the adapter applies
	records := recordsOfStream(q.input.Stream, q.input.ConnectionID, q.input.Filter)
	if q.filters {
		local = q.input.Filter
	} else {
		records.Query.BracketFilter(wire.Filter, q.input.Filter)
	}
	filter := condition.New(local)
	r, err := newReading(ctx, env, kindGroups)
	if err != nil {
		return nil, err
	}
	defer r.end()
	fields := joinNames(q.tally.Fields(), filter.Fields())
	from := q.start(env)
	l := r.newList(records, fields, from)
	defer l.end()
	l.readsAhead, l.wholePage, l.isUnordered = true, wholePageOf(env.Readings.MaxRecords(), from), true
	l.requestNext()
	l.bound = l.boundOf(local, "")
	l.filter = filter
	tallied := &tallying{list: l, aggregate: q.request, wanted: q.input.Filter, tally: q.tally, fields: fields}
	if err := cmp.Or(l.readAll(tallied.add), l.checkTimes()); err != nil {
		return nil, err
	}
	tallied.finish()
	if l.count > 0 { // R-AGG-4
		l.Note = strings.TrimSpace(fmt.Sprintf("%d connections are counted together. %s", l.count, l.Note))
	}
	if field := q.input.GroupByTime; field != nil && q.tally.LacksTimes() {
		return nil, &tool.Error{
			Code: tool.InvalidArguments, Param: tool.GroupsGroupByTime,
			Message: fmt.Sprintf("%s takes a field of times, and %s holds none; schema shows the kind of each field", wire.GroupByTime, rawjson.Quote(*field)),
		}
	}
	warnings := l.filterWarnings()
	for _, each := range q.tally.Warnings() {
		warnings.add(each.Code, each.Message)
	}
	if q.refusal != nil && q.isPlainCount() {
		warnings.add(q.refusal.Code, fmt.Sprintf("The resource server refused to count (%d): %s", q.refusal.Status, tool.Clip(q.refusal.Message, tool.LabelCharacters)))
	}
	found := q.tally.Answer()
	q.input.nameExtreme(found, tallied.extreme, q.tally.IsTied())
	l.reading.complete(found, q.input, warnings)
	return found, nil
}

// complete sets the members of the reading's aggregate other than its groups.
func (r *reading) complete(found *answer.Groups, input GroupsInput, warnings warnings) {
	origin, grants := r.source()
	input.complete(found, origin, grants)
	found.Reading, found.Warnings = r.described(), append(warnings, r.absent...)
}

// complete sets the call of an aggregate, and where it is from.
func (i GroupsInput) complete(found *answer.Groups, origin answer.Origin, grants []string) {
	found.Origin, found.Coverage = origin, answer.Coverage{GrantIDs: grants}
	found.Call, found.Stream, found.ConnectionID = i.Call, i.Stream, i.ConnectionID
}

// start returns the position at which an earlier reading of the same query stopped, otherwise the beginning.
func (q *groups) start(env tool.Env) position {
	if kept := env.Readings.Stop(env.Caller, tool.QuestionOf(q.request)); kept != "" && q.filters {
		if from, _, err := positionOf(env, &kept, q.request); err == nil {
			return from
		}
	}
	return position{}
}
