package readon

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/pdppmcp/pdpp-mcp/runtime/condition"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// RowsInput is what a page of rows asks for. A nil member was not given.
type RowsInput struct {
	Filter       rs.Filter
	Sort         *string
	Order        *string
	Fields       []string
	Count        *string
	Cursor       *string
	ConnectionID *string
}

// Rows reads a page of a stream. Where the resource server refuses filters as such, the adapter reads the stream and applies
// the filter (R-SCAN-1); where it does not sort by a field, the adapter finds the first rows by it (R-SCAN-4). It returns the errors of
// env.Get, or an *tool.Error for a cursor of another call or a caller with too many readings.
func Rows(ctx context.Context, env tool.Env, request rs.Request, input RowsInput) (*rs.Response, error) {
	if request.Path.Route().Stream == tool.EveryStream {
		if _, isFeed := request.Query.Get(feedName); isFeed || strings.HasPrefix(text(input.Cursor), changesPrefix) {
			return readChanges(ctx, env, request, input)
		}
		return readTimeline(ctx, env, request, input)
	}
	from, isOurs, err := placeIn(env, input.Cursor, request)
	switch {
	case err != nil:
		return nil, err
	case env.Readings == nil || len(input.Filter) == 0 && input.Sort == nil || !isNarrowable(input.Filter):
		return env.Get(ctx, request)
	}
	q := &rows{request: request, input: input, from: from}
	q.filters = isOurs || len(input.Filter) > 0 && env.Readings.Refuses(rs.Origins(env.RS, request))
	if from.Sorts && !q.sort() {
		return nil, errOtherCall
	}
	if !q.filters {
		response, err := env.Get(ctx, request)
		if err == nil || !q.answers(env, err) {
			return response, err
		}
	}
	if !isOurs && input.Cursor != nil {
		return nil, errOtherCall
	}
	return q.read(ctx, env)
}

// rows is a page of rows in the making.
type rows struct {
	request rs.Request
	input   RowsInput
	from    place
	filters bool   // the filter is applied here
	sorts   bool   // the order is made here
	refused error  // what the resource server said of the order
	by      string // the field of the order
	falling bool
}

// answers reports whether the reading answers what the resource server refuses.
func (q *rows) answers(env tool.Env, err error) bool {
	switch {
	case !q.filters && len(q.input.Filter) > 0 && isOfFilters(err):
		env.Readings.NoteRefusal(rs.Origins(env.RS, q.request))
		q.filters = true
	case !q.sorts && q.input.Sort != nil && q.input.Cursor == nil && isOfSort(err):
		q.refused = err
		return q.sort()
	default:
		return false
	}
	return true
}

// sort makes the order here, if it is by one field.
func (q *rows) sort() bool {
	if q.input.Sort == nil {
		return false
	}
	var isDescending bool
	q.by, isDescending = strings.CutPrefix(*q.input.Sort, "-")
	q.falling = isDescending || q.input.Order != nil && *q.input.Order == "desc"
	contradicts := isDescending && q.input.Order != nil && *q.input.Order == "asc"
	q.sorts = q.by != "" && !strings.Contains(q.by, ",") && !contradicts
	return q.sorts
}

// read reads until the page is full. What the resource server refuses of a page may be what the reading answers too.
func (q *rows) read(ctx context.Context, env tool.Env) (*rs.Response, error) {
	for {
		response, err := q.readOnce(ctx, env)
		if err == nil || !q.answers(env, err) {
			return response, err
		}
	}
}

func (q *rows) readOnce(ctx context.Context, env tool.Env) (*rs.Response, error) {
	filter := condition.New(q.local())
	kind := kindRows
	if q.sorts {
		kind = kindTop
	}
	r, err := begin(ctx, env, kind)
	if err != nil {
		return nil, err
	}
	defer r.end()
	request := q.request
	read := q.input.Fields
	if q.filters {
		request.Query = request.Query.WithoutMembers(filterName)
	}
	if read != nil {
		read = names(read, filter.Fields())
	}
	if q.sorts {
		request.Query = request.Query.Without(sortName, orderName)
		if read != nil {
			read = names(read, []string{q.by})
		}
	}
	l := r.newList(request, read, q.from)
	defer l.forget()
	l.ask()
	if q.from == (place{}) {
		if err := q.judge(l, filter); err != nil {
			return nil, err
		}
	}
	l.edge = l.edgeOf(q.local(), q.order())
	l.filter = filter
	if q.sorts {
		return q.top(l, filter)
	}
	return q.page(l, filter)
}

// local is the filter that is applied here.
func (q *rows) local() rs.Filter {
	if q.filters {
		return q.input.Filter
	}
	return nil
}

// order is the order of the list that is read.
func (q *rows) order() string {
	switch {
	case !q.sorts && q.input.Sort != nil && *q.input.Sort != "" && !strings.HasPrefix(*q.input.Sort, "-"):
		return "asc"
	case !q.sorts && q.input.Order != nil:
		return *q.input.Order
	}
	return ""
}

// judge lets the resource server judge the names that no page asks for by name: an unknown field matches nothing, and a
// caller has to hear of it.
func (q *rows) judge(l *list, filter *condition.Filter) error {
	var asking errgroup.Group
	if q.sorts {
		asking.Go(func() error {
			var refused *rs.Error
			err := l.probe(l.request.Query, q.by)
			if errors.As(err, &refused) {
				return q.refused // the resource server's own answer to an unknown order
			}
			return err
		})
	}
	if named := filter.Fields(); q.input.Fields == nil && len(named) > 0 {
		asking.Go(func() error { return l.probe(l.request.Query, named...) })
	}
	return asking.Wait()
}

// probe asks for these fields of one record.
func (l *list) probe(query rs.Query, fields ...string) error {
	request := l.request
	request.Query = query.With(limitName, "1").With(fieldsName, strings.Join(fields, ","))
	_, err := l.env.RS.Get(l.ctx, request)
	return err
}

// page reads rows that match until there are as many as the page holds, or all of them when they are to be counted.
func (q *rows) page(l *list, filter *condition.Filter) (*rs.Response, error) {
	isFirst := q.from == place{}
	found := &full{
		list: l, asked: q.request, limit: q.request.Limit(), count: q.from.Count,
		matches: func(read *page, at int) (bool, error) { return filter.Match(read.rows[at].fields), nil },
		counts:  isFirst && q.input.Count != nil && *q.input.Count == "exact",
		tells:   isFirst && q.input.Count != nil && *q.input.Count != "none",
	}
	if err := cmp.Or(found.fill(), l.checkTimes()); err != nil {
		return nil, err
	}
	return found.response(l.warningsOf(filter)), nil
}
