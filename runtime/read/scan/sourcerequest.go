package scan

import (
	"context"
	"strconv"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

func (s *source) key() string { return s.stream + "/" + s.connection }

func (s *source) name() string {
	if s.connection == "" {
		return s.stream
	}
	return s.stream + " (" + s.connection + ")"
}

// request returns the request for records of the source.
func (s *source) request() rs.Request {
	var connection *string
	if s.connection != "" {
		connection = &s.connection
	}
	return recordsOfStream(s.stream, connection, s.span.filter())
}

// get reads a page within the bounds of the reading. It is safe for concurrent use by several sources.
func (s *source) get(limit int, parameters ...rs.Parameter) (rs.List, error) {
	if s.most == 0 {
		s.most = rs.MaxRows
	}
	request := s.request()
	request.Query.Set(wire.Limit, strconv.Itoa(min(limit, s.most)))
	for _, parameter := range parameters {
		request.Query.Set(parameter.Name, parameter.Value)
	}
	ctx, cancel := context.WithTimeout(s.ctx, sourceTimeout)
	defer cancel()
	s.held.Release()
	var response *rs.Response
	var list rs.List
	read := func(limit int) (records int, err error) {
		request.Query = request.Query.With(wire.Limit, strconv.Itoa(limit))
		if response, err = s.env.RS.Get(patient(ctx, limit), request); err == nil {
			list, err = response.List()
		}
		return len(list.Rows), err
	}
	err := s.budget.Read(ctx, min(limit, s.most), read)
	for isTooLarge(err) && min(limit, s.most) > 1 {
		s.most = smallerPage(min(limit, s.most))
		err = s.budget.Read(ctx, s.most, read)
	}
	if err != nil {
		return rs.List{}, err
	}
	s.held, s.most = response, fittingPage(list, response)
	s.noteRecords(len(list.Rows), func() { s.noteResponse(response) })
	return list, nil
}

// sortBy returns the parameter that sorts by the time field.
func (s *source) sortBy(isRising bool) rs.Parameter {
	if isRising {
		return rs.Parameter{Name: wire.Sort, Value: s.field}
	}
	return rs.Parameter{Name: wire.Sort, Value: "-" + s.field}
}

// bounds returns the range as a filter of the resource server. The filter is wider by the offset slack, because the
// server reads a date as a midnight in UTC. keep applies the exact range.
func (s *source) bounds() (bounds []rs.Parameter) {
	add := func(operator string, at *time.Time, margin time.Duration) {
		if at != nil {
			bounds = append(bounds, rs.Parameter{Name: wire.Filter + "[" + s.field + "][" + operator + "]", Value: at.Add(margin).UTC().Format(time.RFC3339)})
		}
	}
	add("gte", s.span.since, -offsetSlack)
	add("lt", s.span.until, offsetSlack)
	return bounds
}

func (s *source) refusesFilters() bool {
	return s.env.Readings.Refuses(rs.Origins(s.env.RS, s.timeline.request))
}
