package readon

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/pdppmcp/pdpp-mcp/runtime/condition"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
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

// Hits reads a page of hits. Where the resource server refuses filters as such, the adapter reads the records of the hits and
// keeps those that match, in rank order (R-SCAN-5). Its error is that of env.Get, or an *tool.Error as of Rows.
func Hits(ctx context.Context, env tool.Env, request rs.Request, input HitsInput) (*rs.Response, error) {
	from, isOurs, err := placeIn(env, input.Cursor, request)
	switch {
	case err != nil:
		return nil, err
	case env.Readings == nil || len(input.Filter) == 0 || !isNarrowable(input.Filter):
		return env.Get(ctx, request)
	}
	if !isOurs && !env.Readings.Refuses(rs.Origins(env.RS, request)) {
		response, err := env.Get(ctx, request)
		refusing := refusingFilters(env, request, response, err)
		if len(refusing) == 0 || err == nil && input.Cursor != nil {
			return response, err
		}
		env.Readings.NoteRefusal(refusing)
	}
	if !isOurs && input.Cursor != nil {
		return nil, errOtherCall
	}
	filter := condition.New(input.Filter)
	r, err := begin(ctx, env, kindHits)
	if err != nil {
		return nil, err
	}
	defer r.end()
	q := &hits{reading: r, asked: request, input: input, filter: filter, next: from}
	return q.read()
}

// refusingFilters are the providers that refused the filter of a search as such: the one that was asked, or those among several
// sources. What is read in their place is read of all, so that the hits stand in one order.
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

// hits is a page of hits that match, as far as it is filled.
type hits struct {
	*reading
	asked  rs.Request
	input  HitsInput
	filter *condition.Filter

	rows    []rawjson.Value
	places  []place
	marks   []rs.Mark
	next    place
	unknown string        // a stream that lacks a field of the filter
	recall  rawjson.Value // what the resource server says of its own completeness
}

func (q *hits) read() (*rs.Response, error) {
	limit := q.asked.Limit()
	for len(q.rows) < limit && !q.Complete {
		if q.left <= 0 {
			q.bounded()
			break
		}
		q.tell()
		err := q.page(limit)
		if err == nil {
			continue
		}
		if err := q.interrupted(err); err != nil {
			return nil, err
		}
		break
	}
	q.Rows = q.marks
	q.CursorAfter = func(rows int) string {
		if rows == len(q.rows) {
			return q.end()
		}
		return q.places[rows-1].encode(q.asked)
	}
	var others []string
	if q.unknown != "" {
		others = append(others, fmt.Sprintf("%s has no such field, so none of its hits matches", rawjson.Quote(q.unknown)))
	}
	var meta rawjson.Object
	if q.recall != nil {
		meta = append(meta, rawjson.Raw("recall", q.recall))
	}
	meta = withWarnings(meta, warningsOf(q.filter, others...))
	return q.answer(q.asked, rowsEnvelope(q.rows, q.end(), rawjson.Raw("meta", meta.Encode()))), nil
}

func (q *hits) end() string {
	if q.Complete {
		return ""
	}
	return q.next.encode(q.asked)
}

// page reads a page of hits and their records, as far as the answer has room.
func (q *hits) page(limit int) error {
	request := q.asked
	request.Query = request.Query.WithoutMembers(filterName).Without(cursorName).With(limitName, strconv.Itoa(max(limit, rs.DefaultRows)))
	if q.next.Cursor != "" {
		request.Query = request.Query.With(cursorName, q.next.Cursor)
	}
	response, err := q.env.RS.Get(q.ctx, request)
	if err != nil {
		return err
	}
	list, err := response.List()
	if err != nil {
		return err
	}
	q.base, q.recall = response, list.Meta().Get("recall")
	at, rows := q.next, recordsOf(list)
	if len(rows) == 0 { // such pages are bounded too
		q.left--
	}
	from, beyond := at.passed(rows)
	next := place{Cursor: list.Text(nextCursorName), Skip: beyond, Last: at.Last}
	for from < len(rows) && len(q.rows) < limit {
		if q.left <= 0 {
			return nil
		}
		until := min(len(rows), from+min(hitsAtOnce, q.left))
		matches, err := q.matches(rows[from:until])
		if err != nil {
			return err
		}
		for i, isMatch := range matches {
			if len(q.rows) == limit {
				return nil
			}
			q.take(rows[from+i], isMatch, place{Cursor: at.Cursor, Skip: from + i + 1, Last: rows[from+i].print()})
		}
		from = until
	}
	q.pages++
	if from == len(rows) {
		q.next = next
		q.Complete = next.Cursor == "" || next.Cursor == at.Cursor
	}
	return nil
}

// take counts a hit in.
func (q *hits) take(hit record, isMatch bool, behind place) {
	q.Read++
	q.left--
	q.next, q.UpTo = behind, rs.Mark{ID: hit.key(), Read: q.Read}
	if isMatch {
		q.Matched++
		q.rows = append(q.rows, hit.row)
		q.places, q.marks = append(q.places, behind), append(q.marks, q.UpTo)
	}
}

// matches reads the records of some hits side by side.
func (q *hits) matches(hits []record) ([]bool, error) {
	matches, lacking := make([]bool, len(hits)), make([]string, len(hits))
	asking, ctx := errgroup.WithContext(q.ctx)
	for i, hit := range hits {
		asking.Go(func() error {
			isMatch, lacks, err := q.matchesOne(ctx, hit)
			matches[i], lacking[i] = isMatch, lacks
			return err
		})
	}
	err := asking.Wait()
	for _, stream := range lacking {
		if stream != "" {
			q.unknown = stream
		}
	}
	return matches, err
}

// matchesOne reads the record of a hit. A record that has gone does not match, and neither does one whose stream lacks a field
// of the filter, which is then named; when no other stream is searched, that is the caller's mistake.
func (q *hits) matchesOne(ctx context.Context, hit record) (isMatch bool, lacks string, err error) {
	members, _ := rawjson.ParseObject(hit.row)
	stream, id := members.Text("stream"), members.FirstText("record_key", "record_id")
	if stream == "" || id == "" {
		return false, "", nil
	}
	var connection *string
	request := rs.Request{Path: rs.JoinPath("v1", "streams", stream, "records", id)}
	request.Query.Set(fieldsName, strings.Join(q.filter.Fields(), ","))
	if named := members.FirstText(connectionName, "connector_instance_id"); named != "" {
		connection = &named
	} else if named, isNamed := q.asked.Query.Get(connectionName); isNamed {
		connection = &named
	}
	request.Query.String(connectionName, connection)
	request.Sources = rs.OneSource{Stream: stream, ConnectionID: connection}
	response, err := q.env.RS.Get(ctx, request)
	var refused *rs.Error
	switch {
	case err == nil:
		return q.filter.Match(recordOf(response.Cursor()).fields), "", nil
	case errors.As(err, &refused) && refused.Status == http.StatusNotFound:
		return false, "", nil
	case badRequest(err) != nil && len(q.input.Streams) != 1:
		return false, stream, nil
	}
	return false, "", err
}
