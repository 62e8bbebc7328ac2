package scan

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/condition"
)

// hitRecords compares the records of hits with a filter.
type hitRecords struct {
	filter  *condition.Filter // without conditions on the time
	span    *timeRange        // of the times of the records; nil: any
	all     *condition.Filter // the whole filter, for records with a field named timeKey
	lacking map[string]int64  // hits of each stream that lacks a field of the filter
	refused error             // the first refusal of such a field
}

// match reads the records of some hits concurrently. A hit without a record does not match. A hit does not match if its
// stream lacks a field of the filter. If no other stream is searched, that refusal is the error.
func (q *hitRecords) match(r *reading, asked rs.Request, hits []answer.Hit) ([]bool, error) {
	responses := make([]*rs.Response, len(hits))
	refusals := make([]error, len(hits))
	sources, _ := asked.Sources.(rs.HitsOfSources)
	reading, ctx := errgroup.WithContext(r.ctx)
	for i, hit := range hits {
		reading.Go(func() error {
			response, err := q.read(ctx, r, asked, hit.Members)
			refused := asRefused(err)
			switch {
			case response != nil:
				responses[i] = response
			case refused != nil && refused.Status == http.StatusNotFound:
			case badRequest(err) != nil && len(sources.Streams) != 1:
				refusals[i] = err
			default:
				return err
			}
			return nil
		})
	}
	err := reading.Wait()
	matches := make([]bool, len(hits))
	for i, response := range responses {
		matches[i] = response != nil && q.matches(r, recordOf(response.Cursor()))
		response.Release()
		if refusals[i] != nil {
			q.lacking[hits[i].Members.Text(wire.Stream)]++
			q.refused = cmp.Or(q.refused, refusals[i])
		}
	}
	return matches, err
}

// read reads the record of a hit. It returns nil for a hit without a record.
func (q *hitRecords) read(ctx context.Context, r *reading, asked rs.Request, hit rawjson.Object) (*rs.Response, error) {
	stream, id := hit.Text(wire.Stream), hit.FirstText("record_key", wire.RecordID)
	if stream == "" || id == "" {
		return nil, nil
	}
	request := rs.Request{Path: rs.RecordsPath(stream, id)}
	if q.span == nil { // otherwise the time field is unknown
		request.Query.Set(wire.Fields, strings.Join(q.filter.Fields(), ","))
	}
	connection, isNamed := asked.Query.Get(wire.ConnectionID)
	if named := hit.FirstText(wire.ConnectionID, "connector_instance_id"); named != "" {
		connection, isNamed = named, true
	}
	source := rs.OneSource{Stream: stream}
	if isNamed {
		source.ConnectionID = &connection
	}
	request.Query.String(wire.ConnectionID, source.ConnectionID)
	request.Sources = source
	return r.env.RS.Get(ctx, request)
}

// matches reports whether a record matches the filter. The time of a record is the field named timeKey, otherwise its
// time field.
func (q *hitRecords) matches(r *reading, record record) bool {
	switch {
	case q.span == nil:
		return q.filter.Match(record.fields)
	case record.fields.Member(timeKey) != nil:
		return q.all.Match(record.fields)
	}
	field := TimeField(&schemadoc.Stream{}, []rawjson.Cursor{record.fields})
	at, _, isTime := instantOf(record.fields.Member(field), r.env.Clock)
	return isTime && q.span.holds(at) && q.filter.Match(record.fields)
}
