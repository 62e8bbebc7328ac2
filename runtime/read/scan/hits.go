package scan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/broaden"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/condition"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/tally"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// HitsInput has the arguments of a search. A nil member was not given.
type HitsInput struct {
	Call         answer.Given
	ConnectionID *string
	Filter       rs.Filter
	Cursor       *string
	Streams      []string
}

// Hits reads a page of hits, with the records that describe the first of them. It broadens a search without hits
// (package broaden). If the resource server refuses all filters, the adapter reads the records of the hits and keeps
// those that match, in rank order (R-SCAN-5). It returns the errors of Rows.
func Hits(ctx context.Context, env tool.Env, request rs.Request, input HitsInput) (*tool.Answer, error) {
	s := &searching{env: env, input: input, request: request}
	found, err := s.find(ctx)
	if err != nil {
		return nil, err
	}
	if input.Cursor == nil { // read after the hits, so that an outage costs no further requests
		s.scope = s.readScope(ctx)
		found.Searched = &s.scope.Searched
	}
	if found.Reading == nil && s.scope != nil {
		found = broaden.Hits(ctx, env, request, found, s.scope.byMeaning, func(ctx context.Context, request rs.Request) (*answer.Hits, error) {
			other := &searching{env: env, input: input}
			return other.read(ctx, request)
		})
		if len(found.Hits) == 0 && found.Relaxed != nil && broaden.CanRead(found.Relaxed) {
			s.countFiles(ctx, found.Searched)
		}
	}
	return s.answer(ctx, found), nil
}

// answer describes the first hits, and makes them fit.
func (s *searching) answer(ctx context.Context, found *answer.Hits) *tool.Answer {
	limits := limitsOfAnyTime(s.env, s.input.Streams, s.input.ConnectionID, s.input.Filter, true, found.Coverage)
	found.SetLimits(limits, &found.Envelope)
	return &tool.Answer{Found: found, Draw: s.fitting(ctx, found).Result}
}

// find returns a page of hits of the resource server, or of the adapter if the server refuses all filters.
func (s *searching) find(ctx context.Context) (*answer.Hits, error) {
	env, filters := s.env, s.input.Filter
	from, isOwn, err := positionOf(env, s.input.Cursor, s.request)
	switch {
	case err != nil:
		return nil, err
	case env.Readings == nil && slices.ContainsFunc(filters, isOnTime):
		return nil, readingOff(wire.Filter, timeKey)
	case env.Readings == nil || len(filters) == 0 || !isNarrowable(filters):
		return s.read(ctx, s.request)
	}
	own, span, err := withoutTime(filters, env.Clock)
	if err != nil {
		return nil, err
	}
	if !isOwn && span == nil && !env.Readings.Refuses(rs.Origins(env.RS, s.request)) {
		found, err := s.read(ctx, s.request)
		switch refusing := refusingFilters(env, s.request, found, err); {
		case err == nil && s.input.Cursor != nil:
			return found, nil
		case len(refusing) > 0:
			env.Readings.NoteRefusal(refusing)
		case err == nil && len(found.Hits) == 0 && len(found.Missing) == 0:
			return s.explain(ctx, found, own)
		default:
			return found, err
		}
	}
	if !isOwn && s.input.Cursor != nil {
		return nil, errOtherCall
	}
	return s.filter(ctx, from, own, span)
}

// explain filters the hits itself after the resource server's filter has left none. That answer names the values of the
// hits (R-CLAIM-8). The server's answer is returned if the words have no hit without the filter.
func (s *searching) explain(ctx context.Context, found *answer.Hits, filter rs.Filter) (*answer.Hits, error) {
	other := &searching{env: s.env, input: s.input, request: s.request}
	own, err := other.filter(ctx, position{}, filter, nil)
	refused, isRefused := errors.AsType[*rs.Error](err)
	switch {
	case isRefused && refused.Status == http.StatusBadRequest:
		return nil, err
	case err != nil || own.Reading.Read == 0 || len(own.Hits) > 0:
		return found, nil
	}
	return own, nil
}

// filter reads the records of hits, and keeps the hits whose records match.
func (s *searching) filter(ctx context.Context, from position, own rs.Filter, span *timeRange) (*answer.Hits, error) {
	r, err := newReading(ctx, s.env, kindHits)
	if err != nil {
		return nil, err
	}
	defer r.end()
	r.filter = condition.New(own)
	q := &filteredHits{
		reading: r, searching: s, next: from, limit: s.request.Limit(),
		records: hitRecords{filter: r.filter, span: span, all: condition.New(s.input.Filter), lacking: map[string]int64{}},
	}
	if err := cmp.Or(q.fill(), r.checkTimes()); err != nil {
		return nil, err
	}
	lacking := int64(0)
	warnings := r.filterWarnings()
	for _, stream := range slices.Sorted(maps.Keys(q.records.lacking)) {
		lacking += q.records.lacking[stream]
		warnings.add(tally.WarnPartial, fmt.Sprintf("stream %s lacks a field of the filter; its hits were left out: %d", stream, q.records.lacking[stream]))
	}
	if refused := q.records.refused; refused != nil && lacking == r.Read && from == (position{}) {
		return nil, refused // no searched stream with hits has the field
	}
	return q.answer(warnings), nil
}

// isOnTime reports whether a condition is on the time of a record, whatever the name of its time field (R-TIME-1).
func isOnTime(c rs.Condition) bool { return c.Field == timeKey }

// withoutTime splits a filter into the conditions on other fields and the range of the conditions on the time. The
// range is nil without such conditions.
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
func refusingFilters(env tool.Env, request rs.Request, found *answer.Hits, err error) []string {
	var missing []answer.Missing
	var none *answer.NoneAnsweredError
	switch {
	case errors.As(err, &none):
		missing = none.Missing
	case isFilterRefusal(err):
		return rs.Origins(env.RS, request)
	case err == nil:
		missing = found.Missing
	}
	var refusing []string
	for _, each := range missing {
		if isFilterRefusal(each.Err) {
			refusing = append(refusing, each.Origin)
		}
	}
	return refusing
}
