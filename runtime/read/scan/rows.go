package scan

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/condition"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// RowsInput has the arguments of a query for rows. A nil member was not given.
type RowsInput struct {
	Call         answer.Given
	Stream       string
	Filter       rs.Filter
	Sort         *string
	Order        *string
	Fields       []string
	Count        *string
	Cursor       *string
	ConnectionID *string
}

// Rows reads a page of a stream, or of all streams. If the resource server refuses all filters, the adapter applies the
// filter (R-SCAN-1). If it does not sort by a field, the adapter finds the first rows by it (R-SCAN-4). Rows returns
// the errors of the reader, or a *tool.Error for a cursor of another call or a caller with too many readings.
func Rows(ctx context.Context, env tool.Env, request rs.Request, input RowsInput) (*tool.Answer, error) {
	page, err := readRows(ctx, env, request, input)
	if err == nil {
		found := page.Found.(*answer.Rows)
		limits := limitsOfStream(env, input.Stream, input.ConnectionID, input.Filter, input.Fields == nil, found.Coverage)
		found.SetLimits(limits, &found.Envelope)
	}
	return page, err
}

func readRows(ctx context.Context, env tool.Env, request rs.Request, input RowsInput) (*tool.Answer, error) {
	if request.Path.Route().Stream == tool.EveryStream {
		if _, isFeed := request.Query.Get(wire.ChangesSince); isFeed || strings.HasPrefix(scalar.OrZero(input.Cursor), changesPrefix) {
			return computed(readChanges(ctx, env, request, input))
		}
		return computed(readTimeline(ctx, env, request, input))
	}
	request, input = withoutFeed(request, input)
	from, isOwn, err := rowsPositionOf(env, input.Cursor, request)
	switch {
	case err != nil:
		return nil, err
	case env.Readings == nil || len(input.Filter) == 0 && input.Sort == nil || !isNarrowable(input.Filter):
		return readPage(ctx, env, request, input)
	}
	q := &rows{request: request, input: input, from: from}
	q.filters = isOwn && !from.Sorts || len(input.Filter) > 0 && env.Readings.Refuses(rs.Origins(env.RS, request))
	if from.Sorts && !q.sort() {
		return nil, errOtherCall
	}
	if !q.filters && !isOwn {
		page, err := readPage(ctx, env, request, input)
		if err == nil {
			return q.explained(ctx, env, page), nil
		}
		if !q.takesOver(env, err) {
			return nil, err
		}
	}
	if !isOwn && input.Cursor != nil {
		return nil, errOtherCall
	}
	for {
		found, err := q.read(ctx, env)
		if err == nil && !q.filters && len(q.input.Filter) > 0 && found.Reading.Complete && found.Reading.Matched == 0 {
			found = cmp.Or(q.unmatched(ctx, env), found)
		}
		if err == nil || !q.takesOver(env, err) {
			return computed(found, err)
		}
	}
}

// withoutFeed leaves out changes_since if the cursor alone names the page. A resource server would begin the feed again
// (051b).
func withoutFeed(request rs.Request, input RowsInput) (rs.Request, RowsInput) {
	alone := request
	alone.Query = request.Query.Without(wire.ChangesSince)
	if _, err := tool.PlaceOf(alone); err != nil || input.Cursor == nil || strings.HasPrefix(*input.Cursor, positionPrefix) {
		return request, input // the cursor is bound to the feed
	}
	input.Call = input.Call.Without(wire.ChangesSince)
	return alone, input
}

// explained returns a page that the resource server filtered, with what a reading says about the filter (R-CLAIM-8):
// warnings about its conditions, and if no record matches, the complete reading in place of the empty page.
func (q *rows) explained(ctx context.Context, env tool.Env, page *tool.Answer) *tool.Answer {
	found, isRows := page.Found.(*answer.Rows)
	if !isRows || len(q.input.Filter) == 0 {
		return page
	}
	filter := condition.New(q.input.Filter)
	for _, record := range found.Records {
		filter.Match(rawjson.NewCursor(record.Members.Get("data")))
	}
	noted := warnings(found.Warnings)
	noted.add(condition.WarnComparison, filter.Warnings(env.Clock.Location())...)
	found.Warnings = noted
	if len(found.Records) > 0 || found.HasMore || q.input.Cursor != nil || len(found.Missing) > 0 {
		return page
	}
	if read := q.unmatched(ctx, env); read != nil {
		read.Warnings = append(found.Warnings, read.Warnings...)
		page, _ = computed(read, nil)
	}
	return page
}

// unmatched returns the complete reading of a query whose filter the resource server applied and no record matches. It
// returns nil if nothing was read.
func (q *rows) unmatched(ctx context.Context, env tool.Env) *answer.Rows {
	local := *q
	local.filters = true
	if read, err := local.read(ctx, env); err == nil && read.Reading.Complete && read.Reading.Matched == 0 {
		return read
	}
	return nil
}

// computed returns the answer of rows that the adapter found, or the error. A cursor follows each of its rows, so no
// page is read again.
func computed(rows *answer.Rows, err error) (*tool.Answer, error) {
	if err != nil {
		return nil, err
	}
	return &tool.Answer{Found: rows, Draw: func() (*tool.Result, error) { return render.FitRecords(rows).Result() }}, nil
}

// rows is a query for rows that the adapter answers.
type rows struct {
	request      rs.Request
	input        RowsInput
	from         rowsPosition
	filters      bool // the adapter applies the filter
	sorts        bool // the adapter sorts
	sortRefusal  error
	sortField    string
	isDescending bool
}

// takesOver reports whether the adapter can do what the resource server refused, and prepares it.
func (q *rows) takesOver(env tool.Env, err error) bool {
	switch {
	case !q.filters && len(q.input.Filter) > 0 && isFilterRefusal(err):
		env.Readings.NoteRefusal(rs.Origins(env.RS, q.request))
		q.filters = true
	case !q.sorts && q.input.Sort != nil && q.input.Cursor == nil && isSortRefusal(err):
		q.sortRefusal = err
		return q.sort()
	default:
		return false
	}
	return true
}

// sort makes the adapter sort the rows. It returns false if the order is not by one field.
func (q *rows) sort() bool {
	if q.input.Sort == nil {
		return false
	}
	order := scalar.OrZero(q.input.Order)
	field, isDescending := strings.CutPrefix(*q.input.Sort, "-")
	q.sortField, q.isDescending = field, isDescending || order == "desc"
	q.sorts = field != "" && !strings.Contains(field, ",") && !(isDescending && order == "asc")
	return q.sorts
}

func (q *rows) read(ctx context.Context, env tool.Env) (*answer.Rows, error) {
	var local rs.Filter // the filter that the adapter applies
	request, fields, kind := q.request, q.input.Fields, kindRows
	if q.filters {
		local = q.input.Filter
		request.Query = request.Query.WithoutMembers(wire.Filter)
	}
	filter := condition.New(local)
	used := filter.Fields()
	if q.sorts {
		kind, used = kindTop, append(used, q.sortField)
		request.Query = request.Query.Without(wire.Sort, wire.Order)
	}
	if fields != nil {
		fields = joinNames(fields, used)
	}
	r, err := newReading(ctx, env, kind)
	if err != nil {
		return nil, err
	}
	defer r.end()
	l := r.newList(request, fields, q.from.inList())
	defer l.end()
	l.isUnordered = q.sorts
	isFirst := q.input.Cursor == nil
	if fields != nil && !q.sorts {
		q.addTime(l, isFirst)
	}
	if q.from.Lists == nil {
		l.requestNext()
	}
	if isFirst {
		if err := q.checkNames(l, filter.Fields()); err != nil {
			return nil, err
		}
	}
	l.bound = l.boundOf(local, q.order())
	l.filter = filter
	if q.sorts {
		return q.top(l)
	}
	return q.page(l)
}

// isFeed reports whether the rows are in the order of changes.
func (q *rows) isFeed() bool {
	_, isFeed := q.request.Query.Get(wire.ChangesSince)
	return isFeed
}

// addTime adds the time of the records to the fields of the list, so that the reading can say up to which time it read (R-SCAN-6). The
// schema shows on the first page which field that is.
func (q *rows) addTime(l *list, isFirst bool) {
	if q.isFeed() {
		return
	}
	if l.timeField = q.from.TimeField; isFirst {
		l.findTimes(q.input.Stream, q.input.ConnectionID)
	}
	if l.timeField != "" {
		l.addField(l.timeField)
	}
}

// order returns the order of the list that is read, or an empty string for the default one.
func (q *rows) order() string {
	switch sort := scalar.OrZero(q.input.Sort); {
	case q.sorts:
		return ""
	case sort != "" && !strings.HasPrefix(sort, "-"):
		return "asc"
	}
	return scalar.OrZero(q.input.Order)
}

// checkNames asks the resource server about the fields of the order and the filter if no page requests them by name, so
// that an unknown field is an error and not an empty result.
func (q *rows) checkNames(l *list, filterFields []string) error {
	if q.sorts {
		err := l.probe(l.request.Query, q.sortField)
		if refused := asRefused(err); refused != nil && refused.Status != http.StatusForbidden { // a field that is not granted is named as that
			return q.sortRefusal
		}
		if err != nil {
			return err
		}
	}
	if q.input.Fields == nil && len(filterFields) > 0 {
		return l.probe(l.request.Query, filterFields...)
	}
	return nil
}

// page reads until the page is full. To count the matching rows, it reads to the end.
func (q *rows) page(l *list) (*answer.Rows, error) {
	isFirst, count := q.input.Cursor == nil, scalar.OrZero(q.input.Count)
	l.merges = !q.isFeed()
	found := &matchingPage{
		list: l, asked: q.request, limit: q.request.Limit(), total: q.from.Count, order: q.order(), sort: scalar.OrZero(q.input.Sort),
		countsAll: isFirst && count == "exact", showsCount: isFirst && count != "" && count != "none",
	}
	if err := cmp.Or(found.fillFrom(q.from), l.checkTimes()); err != nil {
		return nil, err
	}
	return found.answer(q.input, l.filterWarnings()), nil
}
