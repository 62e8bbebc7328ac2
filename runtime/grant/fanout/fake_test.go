package fanout_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/fanout"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemaquery"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// tester is the common part of tests, properties and benchmarks.
type tester interface {
	Helper()
	Error(...any)
	Errorf(string, ...any)
	Fatal(...any)
	Fatalf(string, ...any)
}

const provider = "https://pdpp.example"

// fakeRS is a resource server of one grant, in memory. It records what it saw.
type fakeRS struct {
	name      string
	hits      int                // of every search
	wrapped   string             // where the hits stand; empty is data
	largest   int                // most hits in one page; 0 is 100
	hybrid    bool               // no cursors
	bare      bool               // hits that do not name their connection
	claims    func(i int) string // the members of a hit that name its connection
	body      string             // a fixed answer, instead of hits
	fails     func(call int) error
	waits     bool // never answers
	waitsOnce int  // the call that is never answered

	mu   sync.Mutex
	seen []rs.Request
}

func (f *fakeRS) ProviderURL() string { return provider }

func (f *fakeRS) Get(ctx context.Context, request rs.Request) (*rs.Response, error) {
	f.mu.Lock()
	f.seen = append(f.seen, request)
	call := len(f.seen)
	f.mu.Unlock()
	if f.waits || f.waitsOnce == call {
		<-ctx.Done()
		return nil, &rs.Failure{Reason: rs.Timeout, Message: "gave up", Cause: ctx.Err()}
	}
	if f.fails != nil {
		if err := f.fails(call); err != nil {
			return nil, err
		}
	}
	body := f.body
	if body == "" {
		page, err := f.page(request)
		if err != nil {
			return nil, err
		}
		body = page
	}
	return rs.Response{
		Status: 200, RequestID: "req_" + f.name, URL: "http://internal/" + f.name, Request: request,
	}.WithBody([]byte(body))
}

func (f *fakeRS) page(request rs.Request) (string, error) {
	offset := 0
	if cursor, ok := request.Query.Get("cursor"); ok {
		if _, err := fmt.Sscanf(cursor, f.name+"@%d", &offset); err != nil || f.hybrid {
			return "", &rs.Error{
				Status: 400, Type: "invalid_request_error", Code: "invalid_cursor",
				Message: "Cursor is malformed", URL: "http://internal/",
			}
		}
	}
	sent, _ := request.Query.Get("limit")
	limit, err := strconv.Atoi(sent)
	if err != nil {
		return "", fmt.Errorf("limit %q: %w", sent, err)
	}
	largest := f.largest
	if largest == 0 {
		largest = 100
	}
	end := min(f.hits, offset+min(limit, largest))
	rows := []string{}
	for i := offset; i < end; i++ {
		rows = append(rows, f.row(i))
	}
	list := "[" + strings.Join(rows, ",") + "]"
	next := ""
	if end < f.hits && !f.hybrid {
		next = fmt.Sprintf(`"next_cursor":"%s@%d",`, f.name, end)
	}
	around := fmt.Sprintf(`"has_more":%t,%s"meta":{"count":%d,"count_accuracy":"exact","recall":{"complete":true,`+
		`"truncated":false},"warnings":[]}`,
		end < f.hits, next, f.hits)
	switch f.wrapped {
	case "data.results":
		return `{"data":{"results":` + list + "," + around + "}}", nil
	case "data.data":
		return `{"data":{"data":` + list + "}," + around + "}", nil
	case "":
		return `{"object":"list","data":` + list + "," + around + "}", nil
	}
	return `{"` + f.wrapped + `":` + list + "," + around + "}", nil
}

func (f *fakeRS) row(i int) string {
	if f.claims != nil {
		return fmt.Sprintf(`{"stream":"messages","record_key":"%s-%d"%s}`, f.name, i, f.claims(i))
	}
	if f.bare {
		return fmt.Sprintf(`{"stream":"messages","record_key":"%s-%d"}`, f.name, i)
	}
	return fmt.Sprintf(`{"stream":"messages","record_key":"%s-%d","connection_id":"cin_%s"}`, f.name, i, f.name)
}

// queries returns the query strings that the server saw.
func (f *fakeRS) queries() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var queries []string
	for _, request := range f.seen {
		queries = append(queries, request.Query.Encoded())
	}
	return queries
}

// member returns a server as an active member of a package.
func member(server *fakeRS, streams ...string) fanout.Source {
	return fanout.Source{
		GrantID: "grt_" + server.name, ConnectionID: "cin_" + server.name, ConnectorKey: "gmail",
		DisplayName: "The " + server.name, Streams: streams, Reader: server,
	}
}

// ended returns a member whose grant was revoked.
func ended(name string, streams ...string) fanout.Source {
	return fanout.Source{
		GrantID: "grt_" + name, ConnectionID: "cin_" + name, ConnectorKey: "gmail",
		DisplayName: "The " + name, Streams: streams,
	}
}

func members(servers ...*fakeRS) []fanout.Source {
	var sources []fanout.Source
	for _, server := range servers {
		sources = append(sources, member(server, "messages"))
	}
	return sources
}

func newReader(sources ...fanout.Source) *fanout.Reader {
	return fanout.New(sources, fanout.Options{ProviderURL: provider})
}

// searchFor returns the request of a search.
func searchFor(limit int, cursor string, streams ...string) rs.Request {
	var query rs.Query
	query.Set("q", "overdraft")
	query.Repeated("streams", streams)
	if limit > 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	return rs.Request{Path: rs.JoinPath("v1", "search"), Query: query, Sources: rs.HitsOfSources{Streams: streams}}
}

// found is a merged answer.
type found struct {
	HasMore    *bool  `json:"has_more"`
	NextCursor string `json:"next_cursor"`
	Data       []struct {
		RecordKey    string `json:"record_key"`
		ConnectionID string `json:"connection_id"`
		ConnectorKey string `json:"connector_key"`
		DisplayName  string `json:"display_name"`
	} `json:"data"`
	Meta struct {
		Count  json.RawMessage `json:"count"`
		Recall *struct {
			Complete bool `json:"complete"`
			Searched int  `json:"sources_searched_count"`
			Missing  int  `json:"sources_missing_count"`
		} `json:"recall"`
		Warnings []struct {
			Code         string `json:"code"`
			Message      string `json:"message"`
			ConnectionID string `json:"connection_id"`
			ConnectorKey string `json:"connector_key"`
			Reason       string `json:"reason"`
			HTTPStatus   int    `json:"http_status"`
		} `json:"warnings"`
	} `json:"meta"`
}

func (f found) keys() []string {
	keys := []string{}
	for _, hit := range f.Data {
		keys = append(keys, hit.RecordKey)
	}
	return keys
}

// reasons returns the missing sources with their reasons.
func (f found) reasons() map[string]string {
	reasons := map[string]string{}
	for _, warning := range f.Meta.Warnings {
		if warning.Code == "source_unavailable" {
			reasons[warning.ConnectionID] = warning.Reason
		}
	}
	return reasons
}

func decode(t tester, response *rs.Response) found {
	t.Helper()
	var decoded found
	if err := json.Unmarshal(response.Body(), &decoded); err != nil {
		t.Fatalf("%v: %s", err, response.Body())
	}
	if decoded.HasMore == nil || *decoded.HasMore != (decoded.NextCursor != "") {
		t.Fatalf("has_more and next_cursor disagree: %s", response.Body())
	}
	return decoded
}

// ask sends a request. What several sources answer together becomes the body that a single source would send.
func ask(ctx context.Context, reader rs.Reader, request rs.Request) (*rs.Response, error) {
	switch wanted := request.Sources.(type) {
	case rs.SchemaOfSources:
		found, err := schemaquery.Get(ctx, reader, request)
		if err != nil {
			return nil, err
		}
		response := rs.Response{Status: found.Status, RequestID: found.RequestID, URL: found.URL, GrantIDs: found.GrantIDs}
		return response.WithBody(found.Document.Members.Encode())
	case rs.StreamsOfSources:
		found, err := tool.ListStreams(ctx, reader, request)
		if err != nil {
			return nil, err
		}
		result, err := render.Streams(found)
		if err != nil {
			return nil, err
		}
		response := rs.Response{Status: found.Status, RequestID: found.RequestID, URL: found.URL, GrantIDs: found.GrantIDs}
		return response.WithBody(result.Structured)
	case rs.HitsOfSources:
		if wanted.ConnectionID == nil {
			return searched(ctx, reader, request)
		}
	}
	return reader.Get(ctx, request)
}

func searched(ctx context.Context, reader rs.Reader, request rs.Request) (*rs.Response, error) {
	merged, err := reader.(tool.Merger).Search(ctx, request)
	if err != nil {
		return nil, err
	}
	return bodyOf(request, merged.Hits(ctx, request.Limit()))
}

func bodyOf(request rs.Request, hits *answer.Hits) (*rs.Response, error) {
	rows := make([]rawjson.Value, len(hits.Hits))
	for i, hit := range hits.Hits {
		rows[i] = hit.Members.Encode()
	}
	body := append(rawjson.Object{rawjson.Bool("has_more", hits.HasMore)}, rawjson.Texts("next_cursor", hits.Cursor)...)
	meta := append(hits.Meta, rawjson.Raw("warnings", rawjson.Array(hits.Warnings)))
	body = append(body, rawjson.Raw("data", rawjson.Array(rows)), rawjson.Raw("meta", meta.Encode()))
	response := rs.Response{
		Status: hits.Status, RequestID: hits.RequestID, URL: hits.URL, Request: request,
		GrantIDs: hits.GrantIDs,
	}
	return response.WithBody(body.Encode())
}

func search(t tester, reader rs.Reader, request rs.Request) found {
	t.Helper()
	response, err := ask(context.Background(), reader, request)
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, response)
}

// refusedWith returns the refusal of a request with a code.
func refusedWith(t tester, code tool.Code, reader rs.Reader, request rs.Request) *tool.Error {
	t.Helper()
	response, err := ask(context.Background(), reader, request)
	var refusal *tool.Error
	if !errors.As(err, &refusal) || refusal.Code != code {
		t.Fatalf("%v, %v, not a refusal %s", response, err, code)
	}
	return refusal
}

// names are the members of an array of sources, by connection.
func connections(t tester, sources json.RawMessage) []string {
	t.Helper()
	var rows []struct {
		ConnectionID string `json:"connection_id"`
	}
	if sources != nil {
		if err := json.Unmarshal(sources, &rows); err != nil {
			t.Fatal(err)
		}
	}
	var ids []string
	for _, row := range rows {
		ids = append(ids, row.ConnectionID)
	}
	return ids
}

func untouched(t tester, servers ...*fakeRS) {
	t.Helper()
	for _, server := range servers {
		if queries := server.queries(); len(queries) > 0 {
			t.Errorf("%s was asked %q", server.name, queries)
		}
	}
}

// turnsOf returns the expected order of all hits: round robin.
func turnsOf(servers ...*fakeRS) []string {
	keys := []string{}
	for i := 0; ; i++ {
		before := len(keys)
		for _, server := range servers {
			if i < server.hits {
				keys = append(keys, fmt.Sprintf("%s-%d", server.name, i))
			}
		}
		if len(keys) == before {
			return keys
		}
	}
}
