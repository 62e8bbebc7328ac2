package readon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/pdppmcp/pdpp-mcp/runtime/condition"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/relax"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// hitsAtOnce is how many records of hits are read side by side.
const hitsAtOnce = 8

// HitsInput is what a search asks for. A nil member was not given.
type HitsInput struct {
	Filter  rs.Filter
	Cursor  *string
	Streams []string
}

// Hits reads a page of hits. A search without hits is relaxed (package relax). Where the resource server refuses filters as such, the adapter reads the records of the hits and
// keeps those that match, in rank order (R-SCAN-5). It returns the errors of Rows.
func Hits(ctx context.Context, env tool.Env, request rs.Request, input HitsInput) (*rs.Response, error) {
	from, isOurs, err := placeIn(env, input.Cursor, request)
	switch {
	case err != nil:
		return nil, err
	case env.Readings == nil && slices.ContainsFunc(input.Filter, isOnTime):
		return nil, readingOff(filterName + " " + timeKey)
	case env.Readings == nil || len(input.Filter) == 0 || !isNarrowable(input.Filter):
		response, err := env.Get(ctx, request)
		return relaxed(ctx, env, request, response, err)
	}
	own, span, err := withoutTime(input.Filter, env.Clock)
	if err != nil {
		return nil, err
	}
	if !isOurs && span == nil && !env.Readings.Refuses(rs.Origins(env.RS, request)) {
		response, err := env.Get(ctx, request)
		refusing := refusingFilters(env, request, response, err)
		if len(refusing) == 0 || err == nil && input.Cursor != nil {
			return relaxed(ctx, env, request, response, err)
		}
		env.Readings.NoteRefusal(refusing)
	}
	if !isOurs && input.Cursor != nil {
		return nil, errOtherCall
	}
	filter := condition.New(own)
	r, err := begin(ctx, env, kindHits)
	if err != nil {
		return nil, err
	}
	defer r.end()
	searched := request
	searched.Query = searched.Query.WithoutMembers(filterName)
	l := r.newList(searched, nil, from)
	defer l.forget()
	l.size, l.ranked = max(request.Limit(), rs.DefaultRows), true
	r.order.begun = true // hits are in no order of time
	q := &hits{list: l, streams: input.Streams, filter: filter, span: span, all: condition.New(input.Filter), lacking: lackingHits{}}
	found := &full{list: l, asked: request, limit: request.Limit(), matches: q.isMatch}
	l.filter = filter
	if err := cmp.Or(found.fill(), l.checkTimes()); err != nil {
		return nil, err
	}
	if q.refused != nil && q.lacking.total() == l.Read && from == (place{}) {
		return nil, q.refused // no searched stream with hits has the field
	}
	found.partial = q.refused != nil
	return found.response(l.warningsOf(filter, q.lacking.warnings()...)), nil
}

func relaxed(ctx context.Context, env tool.Env, request rs.Request, response *rs.Response, err error) (*rs.Response, error) {
	if err != nil {
		return nil, err
	}
	return relax.Hits(ctx, env, request, response), nil
}

// isOnTime reports whether a condition is on the time of a record, whatever its field is called (R-TIME-1).
func isOnTime(c rs.Condition) bool { return c.Field == timeKey }

// withoutTime returns a filter without its conditions on the time, and their range, which may be nil.
func withoutTime(filter rs.Filter, clock tool.Clock) (others rs.Filter, span *timeRange, err error) {
	var onTime rs.Filter
	for _, each := range filter {
		if isOnTime(each) {
			onTime = append(onTime, each)
		} else {
			others = append(others, each)
		}
	}
	if onTime == nil {
		return filter, nil, nil
	}
	selected, err := rangeOf(onTime, clock)
	return others, &selected, err
}

// matchesTime reports whether a record matches the whole filter. Its time is the field of that name, or its time field.
func (q *hits) matchesTime(record record) bool {
	if record.fields.Member(timeKey) != nil {
		return q.all.Match(record.fields)
	}
	field := TimeField(nil, []rawjson.Cursor{record.fields})
	at, _, isTime := instantOf(record.fields.Member(field), q.env.Clock)
	return isTime && q.span.holds(at) && q.filter.Match(record.fields)
}

// refusingFilters are the providers that refused the filter of a search as such: the one that was asked, or those among several
// sources. The adapter then reads all sources, so that the hits have one order.
func refusingFilters(env tool.Env, request rs.Request, response *rs.Response, err error) []string {
	var missing []rs.Missing
	var none *rs.NoneAnswered
	switch {
	case errors.As(err, &none):
		missing = none.Missing
	case isOfFilters(err):
		return rs.Origins(env.RS, request)
	case err == nil:
		missing = response.Missing
	}
	var refusing []string
	for _, each := range missing {
		if isOfFilters(each.Err) {
			refusing = append(refusing, each.Origin)
		}
	}
	return refusing
}

// hits decides which hits match.
type hits struct {
	*list
	streams []string // that are searched
	filter  *condition.Filter
	span    *timeRange        // of the times of the records; nil: any
	all     *condition.Filter // with the conditions on the time, for a field of that name

	of      *page // whose hits were decided on, from one on
	from    int
	decided []bool
	lacking lackingHits
	refused error // the first refusal of a field that a stream lacks
}

// lackingHits counts the hits of each stream that lacks a field of the filter.
type lackingHits map[string]int64

func (h lackingHits) total() (total int64) {
	for _, hits := range h {
		total += hits
	}
	return total
}

func (h lackingHits) warnings() []string {
	var warnings []string
	for _, stream := range slices.Sorted(maps.Keys(h)) {
		warnings = append(warnings, fmt.Sprintf("stream %s lacks a field of the filter; its hits were left out: %d", stream, h[stream]))
	}
	return warnings
}

// isMatch reports whether a hit matches. It decides on the next ones too, since their records are read side by side.
func (q *hits) isMatch(read *page, at int) (bool, error) {
	if q.of != read || at >= q.from+len(q.decided) {
		decided, err := q.matches(read.rows[at:min(len(read.rows), at+hitsAtOnce)])
		if err != nil {
			return false, err
		}
		q.of, q.from, q.decided = read, at, decided
	}
	return q.decided[at-q.from], nil
}

// matches reads the records of some hits side by side.
func (q *hits) matches(hits []record) ([]bool, error) {
	matches, lacking := make([]bool, len(hits)), make([]*lackingField, len(hits))
	asking, ctx := errgroup.WithContext(q.ctx)
	for i, hit := range hits {
		asking.Go(func() error {
			isMatch, lacks, err := q.matchesOne(ctx, hit)
			matches[i], lacking[i] = isMatch, lacks
			return err
		})
	}
	err := asking.Wait()
	for _, each := range lacking {
		if each != nil {
			q.lacking[each.stream]++
			q.refused = cmp.Or(q.refused, each.refusal)
		}
	}
	return matches, err
}

// lackingField is the refusal of a filter's field by the stream of a hit.
type lackingField struct {
	stream  string
	refusal error
}

// matchesOne reads the record of a hit. A record that has gone does not match, and neither does one whose stream lacks a field
// of the filter, which is then named; when no other stream is searched, that is the caller's mistake.
func (q *hits) matchesOne(ctx context.Context, hit record) (isMatch bool, lacks *lackingField, err error) {
	members, _ := rawjson.ParseObject(hit.row)
	stream, id := members.Text("stream"), members.FirstText("record_key", "record_id")
	if stream == "" || id == "" {
		return false, nil, nil
	}
	var connection *string
	request := rs.Request{Path: rs.JoinPath("v1", "streams", stream, "records", id)}
	if q.span == nil { // otherwise the time field is unknown
		request.Query.Set(fieldsName, strings.Join(q.filter.Fields(), ","))
	}
	if named := members.FirstText(connectionName, "connector_instance_id"); named != "" {
		connection = &named
	} else if named, isNamed := q.request.Query.Get(connectionName); isNamed {
		connection = &named
	}
	request.Query.String(connectionName, connection)
	request.Sources = rs.OneSource{Stream: stream, ConnectionID: connection}
	response, err := q.env.RS.Get(ctx, request)
	var refused *rs.Error
	switch {
	case err == nil && q.span != nil:
		return q.matchesTime(recordOf(response.Cursor())), nil, nil
	case err == nil:
		return q.filter.Match(recordOf(response.Cursor()).fields), nil, nil
	case errors.As(err, &refused) && refused.Status == http.StatusNotFound:
		return false, nil, nil
	case badRequest(err) != nil && len(q.streams) != 1:
		return false, &lackingField{stream, err}, nil
	}
	return false, nil, err
}
