package scan

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// maxRereads limits the rereads of a page. One is enough unless the page has several connections.
const maxRereads = 3

// readPage returns a page as the resource server sends it. A page that does not fit into a result is read again with a
// smaller limit when it is rendered, so that the server's cursor continues after the last shown row (R-BUD-3). A
// terminal shows the whole page.
func readPage(ctx context.Context, env tool.Env, request rs.Request, input RowsInput) (*tool.Answer, error) {
	found, err := plainRows(ctx, env, request, input)
	if err != nil {
		return nil, err
	}
	return &tool.Answer{Found: found, Draw: func() (*tool.Result, error) {
		return fitting(ctx, env, request, found, input).Result()
	}}, nil
}

// plainRows reads a page of the resource server. Its cursor may be one of a place between two pages.
func plainRows(ctx context.Context, env tool.Env, request rs.Request, input RowsInput) (*answer.Rows, error) {
	var response *rs.Response
	seen, err := tool.ReadPlace(request, func(sent rs.Request) (rows int, next string, err error) {
		if response, err = env.RS.Get(ctx, sent); err != nil {
			return 0, "", err
		}
		list, err := response.List()
		return len(list.Rows), list.Text(nextCursorName), err
	})
	if err != nil {
		return nil, err
	}
	asked := response.Request
	if seen > 0 {
		asked.Query = request.Query
	}
	rows, err := rowsOf(ctx, response, asked, seen, input)
	if err == nil {
		rows.Warnings = append(rows.Warnings, tool.Absences(ctx, env.RS, request)...)
	}
	return rows, err
}

// fitting returns a page that fits. A page that cannot be read again is shown as far as it fits.
func fitting(ctx context.Context, env tool.Env, request rs.Request, rows *answer.Rows, input RowsInput) *render.RecordsPage {
	page := render.FitRecords(rows)
	for range maxRereads {
		limit := page.SmallerLimit()
		if limit == 0 || limit >= request.Limit() {
			break
		}
		request.Query = request.Query.With(wire.Limit, strconv.Itoa(limit))
		again, err := plainRows(ctx, env, request, input)
		if err != nil || len(again.Records) == 0 {
			break
		}
		again.Smaller, again.Limits = &answer.Smaller{Limit: limit, Rows: len(rows.Records)}, rows.Limits
		page = render.FitRecords(again)
	}
	return page
}

// rowsOf reads a response as a page of the request, without the rows at its start that the caller has already. A
// response without a list, or with a row that is not an object, is an *rs.Failure.
func rowsOf(ctx context.Context, response *rs.Response, request rs.Request, seen int, input RowsInput) (*answer.Rows, error) {
	list, err := response.List()
	if err != nil {
		return nil, err
	}
	records, err := response.Rows()
	if err != nil {
		return nil, err
	}
	records = records[min(seen, len(records)):]
	for i, row := range records {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if row.Members == nil {
			return nil, response.Unusable(fmt.Sprintf("row %d of the resource server's answer is not an object", i+1), "")
		}
	}
	rows := input.answer(originOf(response), response.GrantIDs)
	rows.Records = records
	_, rows.Expands = response.Request.Query.Get(wire.Expand)
	rows.Envelope = envelopeOf(envelopeMembers(list), list.RowsName, "data", "has_more", nextCursorName, bookmarkName)
	places := tool.PlacesOf(request)
	rows.Paging = answer.Paging{
		HasMore: string(list.Get("has_more")) == "true", Cursor: list.Text(nextCursorName), Bookmark: list.Get(bookmarkName),
		Limit: request.Limit(), Skipped: places.Skipped(), Places: places,
	}
	return rows, nil
}

// answer returns an answer to the call without rows.
func (i RowsInput) answer(origin answer.Origin, grants []string) *answer.Rows {
	return &answer.Rows{
		Origin: origin, Coverage: answer.Coverage{GrantIDs: grants},
		Call: i.Call, Stream: i.Stream, ConnectionID: i.ConnectionID, Fields: i.Fields, IsSorted: i.Sort != nil,
	}
}

func originOf(response *rs.Response) answer.Origin {
	return answer.Origin{ProviderURL: response.ProviderURL, URL: response.URL, RequestID: response.RequestID, Status: response.Status}
}

// envelopeOf returns an envelope without the named members.
func envelopeOf(members rawjson.Object, without ...string) answer.Envelope {
	envelope := answer.Envelope{Members: make(rawjson.Object, 0, len(members))}
	for _, member := range members {
		if slices.Contains(without, member.Name) {
			continue
		}
		if meta, isObject := rawjson.ParseObject(member.Value); isObject && member.Name == "meta" {
			member.Value = nil
			if warnings, isList := rawjson.Elements(meta.Get("warnings")); isList {
				meta, envelope.Warnings = meta.With("warnings", nil), warnings
			}
			envelope.Meta = rs.WithCount(meta)
		}
		envelope.Members = append(envelope.Members, member)
	}
	return envelope
}

// envelopeMembers returns the members of both envelopes of a list. The inner one takes precedence.
func envelopeMembers(list rs.List) rawjson.Object {
	if list.Inner == nil {
		return list.Outer
	}
	members := slices.DeleteFunc(slices.Clone(list.Inner), func(m rawjson.Member) bool { return rawjson.Kind(m.Value) == rawjson.Null })
	return append(members, list.Outer.Without(members.Names()...)...)
}
