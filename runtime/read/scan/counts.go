package scan

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/tally"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// counts counts the records of all streams (R-TIME-6). It asks the resource server for each source.
type counts struct {
	*timeline
	input  GroupsInput
	counts []*sourceCount
}

// sourceCount is the count of one source, as a whole or by period.
type sourceCount struct {
	*source
	periods []answer.Group // nil without a period
	total   int64
	later   int64 // records in periods beyond the limit
	isCut   bool  // not all records were read
}

// refuseMeasure refuses an aggregate that cannot cover all streams. The message names the accepted value.
func (i GroupsInput) refuseMeasure() error {
	for _, each := range []struct {
		broken              bool
		parameter, accepted string
	}{
		{i.Metric != wire.Count, wire.Metric, wire.Count},
		{i.GroupBy != nil && *i.GroupBy != wire.Stream, wire.GroupBy, wire.Stream},
		{i.GroupByTime != nil && *i.GroupByTime != timeKey, wire.GroupByTime, timeKey},
	} {
		if each.broken {
			return &tool.Error{
				Code: tool.InvalidArguments, Param: each.parameter, Accepted: []string{each.accepted},
				Message: fmt.Sprintf("%s must be %s for stream %q; pass that, or read one stream", each.parameter, each.accepted, tool.EveryStream),
			}
		}
	}
	return nil
}

// readCounts counts the records of all streams. It returns a *tool.Error, the error of the schema, or the error of a
// source if no source answered.
func readCounts(ctx context.Context, env tool.Env, request rs.Request, input GroupsInput) (*answer.Groups, error) {
	if env.Readings == nil {
		return nil, readingOff(wire.Stream, `"`+tool.EveryStream+`"`)
	}
	if err := input.refuseMeasure(); err != nil {
		return nil, err
	}
	span, err := rangeOf(input.Filter, env.Clock)
	if err != nil {
		return nil, withStream(ctx, env, input.ConnectionID, input.Filter, err)
	}
	r, err := newReading(ctx, env, "")
	if err != nil {
		return nil, err
	}
	defer r.end()
	c := &counts{timeline: &timeline{reading: r, request: request, span: span}, input: input}
	if err := c.findSources(input.ConnectionID); err != nil {
		return nil, err
	}
	for _, source := range c.sources {
		c.counts = append(c.counts, &sourceCount{source: source})
	}
	if err := c.eachSource(c.sources, func(i int) error { return c.count(c.counts[i]) }); err != nil {
		return nil, err
	}
	return c.aggregate(), nil
}

func (c *counts) count(counted *sourceCount) error {
	input := GroupsInput{Stream: counted.stream, Metric: c.input.Metric}
	if counted.connection != "" {
		input.ConnectionID = &counted.connection
	}
	if c.span.isBounded() || c.input.GroupByTime != nil {
		if err := counted.findField(); err != nil || counted.field == "" {
			return err
		}
		input.Filter = counted.filter()
	}
	if c.input.GroupByTime != nil {
		limit := int64(answer.MaxGroups) // the first groups of all sources are among the first groups of each
		if sort := scalar.OrZero(c.input.Sort); sort != "" && sort != "key" {
			limit, input.Sort = tally.EveryGroup, c.input.Sort
		}
		input.GroupByTime, input.Granularity, input.TimeZone, input.Limit = &counted.field, c.input.Granularity, c.input.TimeZone, &limit
	}
	request := rs.Request{
		Path: rs.JoinPath("v1", wire.Streams, counted.stream, wire.Aggregate), Sources: rs.OneSource{Stream: counted.stream, ConnectionID: input.ConnectionID, Filter: input.Filter},
	}
	for name, value := range map[string]*string{
		wire.Metric: &input.Metric, wire.GroupByTime: input.GroupByTime, wire.Granularity: input.Granularity, wire.TimeZone: input.TimeZone,
		wire.ConnectionID: input.ConnectionID,
	} {
		request.Query.String(name, value)
	}
	request.Query.Integer(wire.Limit, input.Limit)
	request.Query.BracketFilter(wire.Filter, input.Filter)
	env := c.env
	env.Budget = c.budget
	found, err := newGroups(c.ctx, env, request, input).find(c.ctx, env)
	if err != nil {
		return err
	}
	c.add(counted, found)
	return nil
}

func (c *counts) add(counted *sourceCount, found *answer.Groups) {
	read := 0
	if found.Reading != nil {
		read, counted.isCut = int(found.Reading.Read), !found.Reading.Complete
	}
	c.noteRecords(read, func() { c.noteSource(found.Origin, found.GrantIDs) })
	counted.read = max(counted.read, int64(read)) // a reading reads the recent records again
	if !found.IsGrouped {
		counted.total, _ = found.Members.Int("value")
		return
	}
	for _, group := range found.Groups {
		counted.total += group.Count()
	}
	counted.periods, counted.later = found.Groups, found.Others()
	counted.total += counted.later
}

// findField finds the time field in the recent records. It stays empty without records, or if they have no time.
func (s *sourceCount) findField() error {
	list, err := s.get(recentRecords)
	defer s.held.Release()
	if err != nil {
		return err
	}
	recent := fieldsOf(recordsOf(list))
	s.read = int64(len(recent))
	s.field = TimeField(s.advertised, recent)
	s.noTime = s.field == "" && len(recent) > 0
	for _, fields := range recent {
		if _, form, isTime := instantOf(fields.Member(s.field), s.env.Clock); isTime {
			s.form = &form
		}
	}
	return nil
}

// recentRecords is the number of records that show which field holds the time.
const recentRecords = 10

// filter returns the range as a filter on the time field: days for a field of dates, otherwise instants.
func (s *sourceCount) filter() rs.Filter {
	var filter rs.Filter
	add := func(operator string, at *time.Time) {
		switch {
		case at == nil:
		case s.form.isDate: // a date is its first instant in the zone
			day := scalar.StartOf(at.In(s.env.Clock.Location()), "day")
			if day.Before(*at) {
				day = scalar.Shift(day, "day", 1)
			}
			filter = append(filter, rs.Condition{Field: s.field, Operator: operator, Value: day.Format(time.DateOnly)})
		default:
			filter = append(filter, rs.Condition{Field: s.field, Operator: operator, Value: at.UTC().Format(time.RFC3339Nano)})
		}
	}
	add("gte", s.span.since)
	add("lt", s.span.until)
	return filter
}

func (c *counts) aggregate() *answer.Groups {
	var total, later int64
	var cut []string
	isWhole := len(c.document.Warnings()) == 0 && c.leftOut == 0
	groups := map[[2]string]int64{}
	for _, each := range c.counts {
		total, later = total+each.total, later+each.later
		isWhole = isWhole && each.err == nil
		if each.isCut {
			cut = append(cut, each.name())
		}
		key := [2]string{"", "null"}
		if c.input.GroupBy != nil {
			key[0] = each.stream
		}
		if c.input.GroupByTime == nil && !each.noTime && each.err == nil {
			groups[key] += each.total
		}
		for _, period := range each.periods {
			count := period.Count()
			if key[1] = string(period.Key()); count > 0 || c.input.GroupBy == nil { // under a stream, only groups with records
				groups[key] += count
			}
		}
	}
	c.countRead()
	c.Matched, c.Complete = total, cut == nil && isWhole
	if cut != nil {
		c.Note = "Not read to their ends: " + joined(cut) + "."
	}
	zone := scalar.OrZero(cmp.Or(c.input.TimeZone, new(c.env.Clock.Location().String())))
	found := &answer.Groups{IsCycle: tally.IsCycle(scalar.OrZero(c.input.Granularity)), IsGrouped: c.input.GroupBy != nil || c.input.GroupByTime != nil}
	found.Members = rawjson.Object{
		rawjson.String(wire.Stream, tool.EveryStream), rawjson.String(wire.Metric, c.input.Metric),
		rawjson.Raw(wire.GroupBy, rawjson.TextOrNull(scalar.OrZero(c.input.GroupBy))), rawjson.Raw(wire.GroupByTime, rawjson.TextOrNull(scalar.OrZero(c.input.GroupByTime))),
		rawjson.Raw(wire.Granularity, rawjson.TextOrNull(scalar.OrZero(c.input.Granularity))), rawjson.String(wire.TimeZone, zone),
		rawjson.Int("filtered_record_count", total),
	}
	if found.IsGrouped {
		c.addGroups(found, groups, later)
	} else {
		found.Members = append(found.Members, rawjson.Int("value", total))
	}
	c.reading.complete(found, c.input, c.warnings())
	return found
}

// addGroups adds the groups in the order of the call, by default the largest stream or the earliest period first.
func (c *counts) addGroups(found *answer.Groups, counts map[[2]string]int64, later int64) {
	for key, count := range counts {
		group := rawjson.Object{rawjson.String("key", key[0]), rawjson.Raw("time", rawjson.Value(key[1]))}
		switch {
		case c.input.GroupBy == nil:
			group = rawjson.Object{rawjson.Raw("key", rawjson.Value(key[1]))}
		case c.input.GroupByTime == nil:
			group = group[:1]
		}
		found.Groups = append(found.Groups, answer.Group{Members: append(group, rawjson.Int(wire.Count, count))})
	}
	query := c.input.query()
	query.TimeZone, query.Limit = "", max(query.Limit, 1)
	if c.input.Limit == nil {
		query.Limit = answer.MaxGroups
	}
	tally.SortJoined(query, found, later)
}
