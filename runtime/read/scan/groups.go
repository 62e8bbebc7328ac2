package scan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemaquery"
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

// isServerOrder reports whether the resource server returns the groups in the order of sort: the largest first, or
// times from the earliest.
func (q *groups) isServerOrder() bool {
	switch q.query.Sort {
	case "-value":
		return q.query.GroupByTime == "" && q.query.Metric == wire.Count
	case "key":
		return q.query.GroupBy == ""
	}
	return q.query.Sort == ""
}

// askServer requests the maximum number of groups if the adapter orders them or shows the largest, so that their number
// is known, and whether an equal one follows (R-CLAIM-7).
func (q *groups) askServer(ctx context.Context, env tool.Env) (*answer.Groups, error) {
	asked, limit := q.request, cmp.Or(q.query.Limit, tally.DefaultGroups)
	areLargest := q.isServerOrder() && q.query.Metric == wire.Count && q.query.GroupBy != "" && q.query.GroupByTime == ""
	if areLargest || !q.isServerOrder() {
		asked.Query = asked.Query.With(wire.Limit, strconv.Itoa(tally.MaxGroups))
	}
	found, err := getGroups(ctx, env, asked, q.input)
	if err != nil || !areLargest || found.Limit() <= limit {
		return found, err
	}
	found.Members = found.Members.WithAll(rawjson.Int(wire.Limit, int64(limit)))
	others, isKnown := found.Members.Int(othersName)
	if isKnown && others == 0 {
		found.Known = len(found.Groups)
	}
	if len(found.Groups) > limit {
		for _, group := range found.Groups[limit:] {
			others += group.Count()
		}
		if isKnown {
			found.Members = found.Members.WithAll(rawjson.Int(othersName, others))
		}
		found.Keep(limit)
	}
	return found, nil
}

// sort orders the groups as the call asks. It returns false if the resource server did not send all of them.
func (q *groups) sort(found *answer.Groups) bool {
	others, isKnown := found.Members.Int(othersName)
	if !found.IsGrouped || !isKnown || others != 0 || len(found.Groups) >= tally.MaxGroups {
		return false
	}
	found.Known = len(found.Groups)
	q.tally.Sort(found)
	return true
}

// isUnmatched reports whether no record matches the filter of the call.
func (q *groups) isUnmatched(found *answer.Groups) bool {
	matched, isKnown := found.Members.Int("filtered_record_count")
	return len(q.input.Filter) > 0 && isKnown && matched == 0 && found.Missing == nil
}

// explained returns the complete reading in place of a result without records, because it shows why no record matches
// (R-CLAIM-8).
func (q *groups) explained(ctx context.Context, env tool.Env, found *answer.Groups) *answer.Groups {
	tallied, err := tally.New(q.query)
	if err != nil {
		return found
	}
	local := *q
	local.filters, local.tally = true, tallied
	if read, err := local.read(ctx, env); err == nil && read.Reading.Complete && read.Reading.Matched == 0 {
		return read
	}
	return found
}

// isPlainCount reports whether the call has nothing that a resource server may refuse to measure.
func (q *groups) isPlainCount() bool {
	return q.query.Metric == wire.Count && q.input.GroupBy == nil && q.input.GroupByTime == nil && len(q.input.Filter) == 0
}

// isAdvertised reports whether the schema advertises aggregates of the stream, so that a plain count is not refused for
// the lack of them (810k).
func (q *groups) isAdvertised(ctx context.Context, env tool.Env) bool {
	scope := schemadoc.Scope{Stream: &q.input.Stream, ConnectionID: q.input.ConnectionID}
	schema, err := schemaquery.Ask(ctx, env.RS, scope, q.request.Sources)
	if err != nil {
		return false
	}
	for _, stream := range schema.Rows() {
		if slices.ContainsFunc(stream.Fields(), func(f schemadoc.Field) bool { return f.Values("a") != nil }) {
			return true
		}
	}
	return false
}

// groupByTimeArgument is the argument of a call that groups by time.
const groupByTimeArgument = wire.GroupByTime

// refusesFilter reports whether an error refuses all filters. If so, the adapter applies the filter from then on.
func (q *groups) refusesFilter(env tool.Env, err error) bool {
	if q.filters || len(q.input.Filter) == 0 || !isFilterRefusal(err) {
		return false
	}
	env.Readings.NoteRefusal(rs.Origins(env.RS, q.request))
	q.filters = true
	return true
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
			Code: tool.InvalidArguments, Param: groupByTimeArgument,
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
	base := r.ended()
	input.complete(found, base)
	found.Reading, found.Warnings = r.described(), append(warnings, base.Absent...)
}

// complete sets the call of an aggregate, and where it is from.
func (i GroupsInput) complete(found *answer.Groups, response *rs.Response) {
	found.Origin, found.Coverage = originOf(response), coverageOf(response)
	found.Call, found.Stream, found.ConnectionID = i.Call, i.Stream, i.ConnectionID
}

// getGroups returns the aggregate as the resource server computes it.
func getGroups(ctx context.Context, env tool.Env, request rs.Request, input GroupsInput) (*answer.Groups, error) {
	response, err := env.RS.Get(ctx, request)
	if err != nil {
		return nil, err
	}
	return groupsOf(ctx, response, input)
}

// groupsOf reads a response as an aggregate. A response with neither a value nor groups is an *rs.Failure.
func groupsOf(ctx context.Context, response *rs.Response, input GroupsInput) (*answer.Groups, error) {
	body, err := response.Object()
	if err != nil {
		return nil, err
	}
	if inner, ok := rawjson.ParseObject(body.Get("data")); ok && body.Get(wire.Metric) == nil {
		body = inner // older servers wrap the answer once more
	}
	found := &answer.Groups{Envelope: envelopeOf(body, groupsName), IsCycle: tally.IsCycle(body.Text(wire.Granularity))}
	var groups []rawjson.Value
	groups, found.IsGrouped = rawjson.Elements(body.Get(groupsName))
	if !found.IsGrouped && !slices.Contains(body.Names(), "value") {
		return nil, response.Unusable("the resource server's answer holds neither a value nor groups", "")
	}
	for i, row := range rawjson.ParseRows(groups) {
		members := row.Members
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if members == nil {
			members = rawjson.Object{rawjson.Raw("key", groups[i])}
		}
		if at := slices.Index(members.Names(), "key"); at > 0 { // the key comes first
			members = slices.Concat(members[at:at+1], members[:at], members[at+1:])
		}
		found.Groups = append(found.Groups, answer.Group{Value: groups[i], Members: members})
	}
	input.complete(found, response)
	found.Warnings = append(found.Warnings, response.Absent...)
	return found, nil
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
