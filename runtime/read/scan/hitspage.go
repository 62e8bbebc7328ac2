package scan

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// searching reads pages of hits for one call. It is not safe for concurrent use.
type searching struct {
	env     tool.Env
	input   HitsInput
	request rs.Request // of the call

	known   map[recordid.Handle]rawjson.Object // the fields of the records of hits; nil: unreadable
	merged  tool.FoundHits                     // the last page of several sources; nil: none
	ofQuery rs.Request                         // the request of merged

	held *rs.Response // the last page of one source; nil: none

	scope *searchScope // nil for a later page
}

// read reads the page of a request, from one source or from several.
func (s *searching) read(ctx context.Context, request rs.Request) (*answer.Hits, error) {
	var found *answer.Hits
	seen, err := tool.ReadPlace(request, func(sent rs.Request) (rows int, next string, err error) {
		if found, err = s.send(ctx, sent); err != nil {
			return 0, "", err
		}
		return len(found.Hits), found.Cursor, nil
	})
	if err != nil {
		return nil, err
	}
	found.Hits = found.Hits[min(seen, len(found.Hits)):]
	return s.asked(found, request), nil
}

// send reads the first page of a list, or the page at a cursor of its source.
func (s *searching) send(ctx context.Context, request rs.Request) (*answer.Hits, error) {
	wanted, _ := request.Sources.(rs.HitsOfSources)
	merger, isSeveral := s.env.RS.(tool.Merger)
	if !isSeveral || wanted.ConnectionID != nil {
		response, err := s.env.RS.Get(ctx, request)
		if err != nil {
			return nil, err
		}
		s.held = response
		return hitsOf(ctx, response)
	}
	isKnown := s.merged != nil && s.ofQuery.Path == request.Path && request.Limit() <= s.ofQuery.Limit() &&
		s.ofQuery.Query.Without(wire.Limit).Encoded() == request.Query.Without(wire.Limit).Encoded()
	if !isKnown {
		merged, err := merger.Search(ctx, request)
		if err != nil {
			return nil, err
		}
		s.merged, s.ofQuery = merged, request
	}
	return s.merged.Hits(ctx, request.Limit()), nil
}

// hitsOf reads a response as hits.
func hitsOf(ctx context.Context, response *rs.Response) (*answer.Hits, error) {
	list, err := response.List()
	if err != nil {
		return nil, err
	}
	rows, err := response.Rows()
	if err != nil {
		return nil, err
	}
	found := &answer.Hits{
		Origin: originOf(response), Coverage: answer.Coverage{GrantIDs: response.GrantIDs},
		Envelope: envelopeOf(envelopeMembers(list), list.RowsName, "data", "has_more", nextCursorName, bookmarkName),
		Hits:     make([]answer.Hit, len(rows)),
		Paging:   answer.Paging{HasMore: string(list.Get("has_more")) == "true", Cursor: list.Text(nextCursorName), Bookmark: list.Get(bookmarkName)},
	}
	for i, hit := range rows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if hit.Members == nil {
			return nil, response.Unusable(fmt.Sprintf("hit %d of the resource server's answer is not an object", i+1), "")
		}
		found.Hits[i].Members = hit.Members
	}
	if response.Request.IsExceededBy(rows) {
		var added warnings
		added.add(string(tool.LimitExceeded),
			fmt.Sprintf("the resource server sent %d hits for limit %d", len(rows), response.Request.Limit()))
		found.Warnings = append(slices.Clip(found.Warnings), added...)
	}
	return found, nil
}

// asked completes hits with what the call asked.
func (s *searching) asked(found *answer.Hits, request rs.Request) *answer.Hits {
	found.ProviderURL, found.Call = s.env.RS.ProviderURL(), s.input.Call
	found.Question = questionOf(request, s.input)
	if _, isSent := request.Query.Get(wire.Limit); isSent {
		found.Limit = request.Limit()
	}
	places := tool.PlacesOf(request)
	found.Skipped, found.Places = places.Skipped(), places
	return found
}

func questionOf(request rs.Request, input HitsInput) answer.Question {
	question := answer.Question{Mode: "lexical", ConnectionID: scalar.OrZero(input.ConnectionID)}
	switch request.Path.Route().Template {
	case rs.SemanticRoute:
		question.Mode = "semantic"
	case rs.HybridRoute:
		question.Mode = "hybrid"
	}
	question.Words, _ = request.Query.Get(wire.Q)
	_, question.IsLaterPage = request.Query.Get(wire.Cursor)
	for _, parameter := range request.Query.Parameters() {
		name, _, _ := strings.Cut(parameter.Name, "[")
		if name == wire.Streams {
			question.Streams = append(question.Streams, parameter.Value)
		}
		isNarrowing := name == wire.Streams || name == wire.Filter || name == wire.ConnectionID
		if isNarrowing && !slices.Contains(question.Narrowed, name) {
			question.Narrowed = append(question.Narrowed, name)
		}
	}
	return question
}

// fitting returns a page that fits. A page of a resource server is read again with a smaller limit while it does not
// fit, so that the next page begins after its last hit (R-BUD-3). The adapter's own pages have a cursor after each hit,
// or none.
func (s *searching) fitting(ctx context.Context, found *answer.Hits) *render.HitsPage {
	s.describe(ctx, found)
	page := render.FitHits(found)
	if found.Reading != nil || found.Relaxed != nil {
		return page
	}
	request := s.request
	for range maxRereads {
		limit := page.SmallerLimit()
		if limit == 0 || limit >= request.Limit() {
			break
		}
		request.Query = request.Query.With(wire.Limit, strconv.Itoa(limit))
		again, err := s.read(ctx, request)
		if err != nil || len(again.Hits) == 0 {
			break // the first page is right, and says how to read the rest
		}
		again.Smaller, again.Limits = &answer.Smaller{Limit: limit, Rows: len(found.Hits)}, found.Limits
		s.describe(ctx, again)
		page = render.FitHits(again)
	}
	return page
}
