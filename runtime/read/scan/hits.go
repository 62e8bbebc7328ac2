package scan

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

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/broaden"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/condition"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// HitsInput has the arguments of a search. A nil member was not given.
type HitsInput struct {
	Filter  rs.Filter
	Cursor  *string
	Streams []string
}

// Hits reads a page of hits. It relaxes a search without hits (package broaden). If the resource server refuses all filters, the adapter
// reads the records of the hits and keeps those that match, in rank order (R-SCAN-5). It returns the errors of Rows.
func Hits(ctx context.Context, env tool.Env, request rs.Request, input HitsInput) (*rs.Response, error) {
	from, isOwn, err := positionOf(env, input.Cursor, request)
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
	if !isOwn && span == nil && !env.Readings.Refuses(rs.Origins(env.RS, request)) {
		response, err := env.Get(ctx, request)
		refusing := refusingFilters(env, request, response, err)
		if len(refusing) == 0 || err == nil && input.Cursor != nil {
			return relaxed(ctx, env, request, response, err)
		}
		env.Readings.NoteRefusal(refusing)
	}
	if !isOwn && input.Cursor != nil {
		return nil, errOtherCall
	}
	filter := condition.New(own)
	r, err := newReading(ctx, env, kindHits)
	if err != nil {
		return nil, err
	}
	defer r.end()
	searched := request
	searched.Query = searched.Query.WithoutMembers(filterName)
	l := r.newList(searched, nil, from)
	defer l.cancelAhead()
	l.pageSize, l.isSearch = max(request.Limit(), rs.DefaultRows), true
	r.order.begun = true // hits are in no order of time
	l.filter = filter
	q := &hits{list: l, streams: input.Streams, span: span, all: condition.New(input.Filter), lacking: map[string]int64{}}
	found := &matchingPage{list: l, asked: request, limit: request.Limit(), match: q.match}
	if err := cmp.Or(found.fill(), l.checkTimes()); err != nil {
		return nil, err
	}
	lacking := int64(0)
	warnings := l.filterWarnings()
	for _, stream := range slices.Sorted(maps.Keys(q.lacking)) {
		lacking += q.lacking[stream]
		warnings.add("partial_results", fmt.Sprintf("stream %s lacks a field of the filter; its hits were left out: %d", stream, q.lacking[stream]))
	}
	if q.refused != nil && lacking == l.Read && from == (position{}) {
		return nil, q.refused // no searched stream with hits has the field
	}
	found.hidesRecall = q.refused != nil
	return found.response(warnings), nil
}

func relaxed(ctx context.Context, env tool.Env, request rs.Request, response *rs.Response, err error) (*rs.Response, error) {
	if err != nil {
		return nil, err
	}
	return broaden.Hits(ctx, env, request, response), nil
}

// isOnTime reports whether a condition is on the time of a record, whatever the name of its time field (R-TIME-1).
func isOnTime(c rs.Condition) bool { return c.Field == timeKey }

// withoutTime splits a filter into the conditions on other fields and the range of the conditions on the time. The range is nil without
// such conditions.
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

// refusingFilters returns the origins of the providers that refused all filters in a search of one or several sources.
func refusingFilters(env tool.Env, request rs.Request, response *rs.Response, err error) []string {
	var missing []answer.Missing
	var none *rs.NoneAnswered
	switch {
	case errors.As(err, &none):
		missing = none.Missing
	case isFilterRefusal(err):
		return rs.Origins(env.RS, request)
	case err == nil:
		missing = response.Missing
	}
	var refusing []string
	for _, each := range missing {
		if isFilterRefusal(each.Err) {
			refusing = append(refusing, each.Origin)
		}
	}
	return refusing
}

type hits struct {
	*list
	streams []string          // the searched streams
	span    *timeRange        // of the times of the records; nil: any
	all     *condition.Filter // the whole filter, for records with a field named timeKey
	lacking map[string]int64  // hits of each stream that lacks a field of the filter
	refused error             // the first refusal of such a field
}

// match reads the records of some hits concurrently. A hit without a record does not match. A hit does not match if its stream lacks a
// field of the filter. If no other stream is searched, that refusal is the error.
func (q *hits) match(hits []record) ([]bool, error) {
	records := make([]*record, len(hits))
	refusals := make([]error, len(hits))
	reading, ctx := errgroup.WithContext(q.ctx)
	for i, hit := range hits {
		reading.Go(func() error {
			response, err := q.read(ctx, hit)
			refused := asRefused(err)
			switch {
			case response != nil:
				found := recordOf(response.Cursor())
				records[i] = &found
			case refused != nil && refused.Status == http.StatusNotFound:
			case badRequest(err) != nil && len(q.streams) != 1:
				refusals[i] = err
			default:
				return err
			}
			return nil
		})
	}
	err := reading.Wait()
	matches := make([]bool, len(hits))
	for i, record := range records {
		matches[i] = record != nil && q.matches(*record)
		if refusals[i] != nil {
			q.lacking[streamOf(hits[i])]++
			q.refused = cmp.Or(q.refused, refusals[i])
		}
	}
	return matches, err
}

func streamOf(hit record) string {
	members, _ := rawjson.ParseObject(hit.row)
	return members.Text("stream")
}

// read reads the record of a hit. It returns nil for a hit without a record.
func (q *hits) read(ctx context.Context, hit record) (*rs.Response, error) {
	members, _ := rawjson.ParseObject(hit.row)
	stream, id := members.Text("stream"), members.FirstText("record_key", "record_id")
	if stream == "" || id == "" {
		return nil, nil
	}
	request := rs.Request{Path: rs.JoinPath("v1", "streams", stream, "records", id)}
	if q.span == nil { // otherwise the time field is unknown
		request.Query.Set(fieldsName, strings.Join(q.filter.Fields(), ","))
	}
	connection, isNamed := q.request.Query.Get(connectionName)
	if named := members.FirstText(connectionName, "connector_instance_id"); named != "" {
		connection, isNamed = named, true
	}
	source := rs.OneSource{Stream: stream}
	if isNamed {
		source.ConnectionID = &connection
	}
	request.Query.String(connectionName, source.ConnectionID)
	request.Sources = source
	return q.env.RS.Get(ctx, request)
}

// matches reports whether a record matches the filter. The time of a record is the field named timeKey, otherwise its time field.
func (q *hits) matches(record record) bool {
	switch {
	case q.span == nil:
		return q.filter.Match(record.fields)
	case record.fields.Member(timeKey) != nil:
		return q.all.Match(record.fields)
	}
	field := TimeField(nil, []rawjson.Cursor{record.fields})
	at, _, isTime := instantOf(record.fields.Member(field), q.env.Clock)
	return isTime && q.span.holds(at) && q.filter.Match(record.fields)
}
