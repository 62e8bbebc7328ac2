package scan_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// hostileProvider has streams whose pages are answered by a function of the sent cursor. It refuses filters.
type hostileProvider struct {
	streams int
	page    func(cursor string, limit int) string // rows and paging
	asked   atomic.Int64
	sent    atomic.Int64 // rows of pages, without those that only show an order
}

func (*hostileProvider) ProviderURL() string { return provider }

func (h *hostileProvider) Get(_ context.Context, request rs.Request) (*rs.Response, error) {
	h.asked.Add(1)
	respond := func(body string) (*rs.Response, error) {
		return rs.Response{Status: 200, Request: request, URL: provider}.WithBody([]byte(body))
	}
	if request.Path == rs.SchemaRoute {
		streams := make([]string, h.streams)
		for i := range streams {
			streams[i] = fmt.Sprintf(`{"name":"s%05d","cursor_field":"at"}`, i)
		}
		return respond(`{"connectors":[{"connector_key":"c","granted_connections":[{"connection_id":"cin_1"}],"streams":[` +
			strings.Join(streams, ",") + `]}]}`)
	}
	for _, parameter := range request.Query.Parameters() {
		if strings.HasPrefix(parameter.Name, "filter") {
			return nil, &rs.Error{Status: 400, Code: "invalid_request", Envelope: json.RawMessage(`{"param":"filter"}`)}
		}
	}
	cursor, _ := request.Query.Get("cursor")
	if strings.HasSuffix(string(request.Path), "/aggregate") {
		return respond(`{"object":"aggregation","metric":"count","value":1}`)
	}
	page := h.page(cursor, request.Limit())
	if request.Limit() > 1 {
		h.sent.Add(int64(strings.Count(page, `"id"`)))
	}
	return respond(page)
}

// run calls a tool once, and returns its text and the number of requests.
func (h *hostileProvider) run(t *testing.T, name, arguments string) (text string, requests int64, err error) {
	t.Helper()
	h.asked.Store(0)
	h.sent.Store(0)
	env := tool.Env{RS: h, Readings: tool.NewReadings(tool.ReadingsOptions{MaxRecords: 20_000})}
	result, err := definition(name).Run(t.Context(), env, json.RawMessage(arguments))
	if err != nil {
		return "", h.asked.Load(), err
	}
	return result.Text, h.asked.Load(), nil
}

const oneRow = `{"id":"r","stream":"s00000","data":{"at":"2026-01-01T00:00:00Z"}}`

// R-SCAN-8: a cursor that was given before in a call ends the source, and the result says so and is not complete.
func TestRepeatedCursorsEnd(t *testing.T) {
	next := map[string]string{"": "a", "a": "b", "b": "a"}
	for name, rows := range map[string]string{"empty pages": "", "rows": oneRow} {
		loop := &hostileProvider{streams: 1, page: func(cursor string, limit int) string {
			return fmt.Sprintf(`{"object":"list","data":[%s],"has_more":true,"next_cursor":%q}`, rows, next[cursor])
		}}
		for _, call := range [][2]string{
			{"query_records", `{"stream":"s00000","filter":{"kind":"x"}}`},
			{"query_records", `{"stream":"*"}`},
			{"query_records", `{"stream":"*","order":"asc"}`},
			{"aggregate", `{"stream":"s00000","metric":"count","filter":{"kind":"x"}}`},
		} {
			text, requests, err := loop.run(t, call[0], call[1])
			if err != nil || requests > 12 || !strings.Contains(text, "complete=false") ||
				!strings.Contains(text, "same cursor again") {
				t.Errorf("%s, %s: %d requests, %v\n%s", name, call[1], requests, err, text)
			}
		}
	}
}

// R-SCAN-8: a call over ten thousand sources is answered within its requests, and says what is left out and how to
// narrow it.
func TestManySources(t *testing.T) {
	provider := &hostileProvider{streams: 9_000, page: func(string, int) string {
		return `{"object":"list","data":[` + oneRow + `],"has_more":false,"next_changes_since":"bookmark"}`
	}}
	for _, call := range [][2]string{
		{"query_records", `{"stream":"*"}`},
		{"query_records", `{"stream":"*","changes_since":"beginning"}`},
		{"aggregate", `{"stream":"*","metric":"count"}`},
		{"aggregate", `{"stream":"*","metric":"count","group_by":"stream","filter":{"time":{"gte":"2026-01-01"}}}`},
	} {
		text, requests, err := provider.run(t, call[0], call[1])
		if err != nil || requests > rs.MaxRequests || !strings.Contains(text, "are left out: one call reads") ||
			!strings.Contains(text, "complete=false") {
			t.Errorf("%s: %d requests, %v\n%.1500s", call[1], requests, err, text)
		}
	}
}

// R-SCAN-8: pages of large rows share the memory of the call. Their size follows the rows, so that all of them are
// read.
func TestPagesFollowTheSizeOfRows(t *testing.T) {
	const streams, rows, size = 4, 20, 300_000
	text := strings.Repeat("x", size)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		if r.URL.Path == rs.SchemaRoute {
			fmt.Fprint(w, `{"connectors":[{"connector_key":"c","granted_connections":[{"connection_id":"cin_1"}],"streams":[`)
			for i := range streams {
				fmt.Fprintf(w, `{"name":"s%d","cursor_field":"at"},`, i)
			}
			fmt.Fprint(w, `{"name":"none"}]}]}`)
			return
		}
		for name := range query {
			if strings.HasPrefix(name, "filter") {
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprint(w, `{"error":{"type":"invalid_request_error","code":"invalid_request","message":"no filters",`+
					`"param":"filter"}}`)
				return
			}
		}
		if strings.Contains(r.URL.Path, "/none/") {
			fmt.Fprint(w, `{"object":"list","data":[],"has_more":false}`)
			return
		}
		start, _ := strconv.Atoi(query.Get("cursor"))
		limit, _ := strconv.Atoi(query.Get("limit"))
		end := min(start+limit, rows)
		records := make([]string, 0, limit)
		for i := start; i < end; i++ {
			records = append(records,
				fmt.Sprintf(`{"id":"r%d","data":{"at":"2026-01-01T00:%02d:00Z","kind":"a","body":%q}}`, i, rows-i, text))
		}
		body := `{"object":"list","data":[` + strings.Join(records, ",") + fmt.Sprintf(`],"has_more":%t`, end < rows)
		if end < rows {
			body += fmt.Sprintf(`,"next_cursor":"%d"`, end)
		}
		fmt.Fprint(w, body+"}")
	}))
	defer server.Close()
	bearer, err := rs.NewBearer("a-token-for-this-test")
	if err != nil {
		t.Fatal(err)
	}
	client, err := rs.NewClient(rs.Options{BaseURL: server.URL, Bearer: bearer})
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range [][2]string{
		{"query_records", `{"stream":"*","limit":100}`},
		{"query_records", `{"stream":"*","limit":100,"order":"asc"}`},
		{"query_records", `{"stream":"s1","filter":{"kind":"b"}}`},
		{"aggregate", `{"stream":"s1","metric":"count","filter":{"kind":"a"}}`},
	} {
		ctx, end := rs.Bounded(t.Context())
		env := tool.Env{RS: client, Readings: tool.NewReadings(tool.ReadingsOptions{MaxRecords: 20_000})}
		result, err := definition(call[0]).Run(ctx, env, json.RawMessage(call[1]))
		end()
		if err != nil || strings.Contains(result.Text, "missing") || strings.Contains(result.Text, "could not be read") {
			t.Errorf("%s: %v\n%.2000s", call[1], err, result.Text)
		}
	}
}

// R-SCAN-8: the pages of a filtered search are released, so that hits of more than 32 MiB in all are compared.
func TestFilteredHitsOfLargePages(t *testing.T) {
	const pages, hits = 20, 4
	snippet := strings.Repeat("x", 600_000)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, _ := strconv.Atoi(r.URL.Query().Get("cursor"))
		switch {
		case strings.Contains(r.URL.RawQuery, "filter"):
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":{"type":"invalid_request_error","code":"invalid_request","message":"no filters",`+
				`"param":"filter"}}`)
		case strings.Contains(r.URL.Path, "/records/"):
			fmt.Fprintf(w, `{"object":"record","id":"r","data":{"kind":%q,"body":%q}}`, path.Base(r.URL.Path), snippet)
		case r.URL.Path == "/v1/search":
			rows := make([]string, hits)
			for i := range rows {
				key := "a"
				if page == pages-1 && i == hits-1 {
					key = "b"
				}
				rows[i] = fmt.Sprintf(`{"stream":"s1","connection_id":"cin_1","record_key":%q,"snippet":%q}`, key, snippet)
			}
			next := fmt.Sprintf(`"has_more":true,"next_cursor":"%d"`, page+1)
			if page == pages-1 {
				next = `"has_more":false`
			}
			fmt.Fprintf(w, `{"object":"list","data":[%s],%s}`, strings.Join(rows, ","), next)
		default:
			fmt.Fprint(w, `{"connectors":[]}`)
		}
	}))
	defer server.Close()
	bearer, err := rs.NewBearer("a-token-for-this-test")
	if err != nil {
		t.Fatal(err)
	}
	client, err := rs.NewClient(rs.Options{BaseURL: server.URL, Bearer: bearer})
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := rs.Bounded(t.Context())
	defer end()
	env := tool.Env{RS: client, Readings: tool.NewReadings(tool.ReadingsOptions{MaxRecords: 20_000})}
	result, err := definition("search").Run(ctx, env,
		json.RawMessage(`{"q":"x","streams":["s1"],"connection_id":"cin_1","filter":{"kind":"b"}}`))
	if err != nil || !strings.Contains(result.Text, "cin_1/s1:b") || !strings.Contains(result.Text, "complete=true") {
		t.Errorf("%v\n%.2000s", err, result.Text)
	}
}

// A cursor that is too long is refused before it is parsed and before anything is read.
func TestLongCursorsAreRefused(t *testing.T) {
	provider := &hostileProvider{
		streams: 3,
		page:    func(string, int) string { return `{"object":"list","data":[],"has_more":false}` },
	}
	long := strings.Repeat("A", tool.MaxCursor)
	for _, arguments := range []string{
		`{"stream":"*","cursor":"timeline.` + long + `"}`, `{"stream":"*","cursor":"changes.` + long + `"}`,
		`{"stream":"*","changes_since":"changes.` + long + `"}`, `{"stream":"s00000","cursor":"reading.` + long + `"}`,
		`{"stream":"s00000","cursor":"place.` + long + `"}`,
	} {
		_, requests, err := provider.run(t, "query_records", arguments)
		var refused *tool.Error
		if !errors.As(err, &refused) || refused.Code != tool.InvalidArguments ||
			!strings.Contains(refused.Message, "longer than") || requests > 0 {
			t.Errorf("%.40s: %d requests, %v", arguments, requests, err)
		}
	}
}

// sixteenStreams are streams of 10,000 records each.
func sixteenStreams() *hostileProvider {
	return &hostileProvider{streams: 16, page: func(cursor string, limit int) string {
		start, _ := strconv.Atoi(cursor)
		end := min(start+limit, 10_000)
		rows := strings.TrimSuffix(strings.Repeat(oneRow+",", end-start), ",")
		if end == 10_000 {
			return `{"object":"list","data":[` + rows + `],"has_more":false}`
		}
		return fmt.Sprintf(`{"object":"list","data":[%s],"has_more":true,"next_cursor":"%d"}`, rows, end)
	}}
}

// R-SCAN-8: all sources of one call read 20,000 records together, in one turn of the caller.
func TestSourcesShareTheRecordsOfACall(t *testing.T) {
	const range2026 = `{"stream":"*","metric":"count","filter":{"time":{"gte":"2026-01-01","lt":"2027-01-01"}}}`
	provider := sixteenStreams()
	text, requests, err := provider.run(t, "aggregate", range2026)
	if rows := provider.sent.Load(); err != nil || rows > 20_000 || rows < 15_000 || requests > rs.MaxRequests ||
		!strings.Contains(text, "complete=false") {
		t.Errorf("%d records in %d requests, %v\n%s", rows, requests, err, text)
	}
	env := tool.Env{RS: provider, Readings: tool.NewReadings(tool.ReadingsOptions{MaxRecords: 20_000}), Caller: "one"}
	for range 2 {
		if _, err := env.Readings.Begin(t.Context(), "one"); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var refused *tool.Error
	if _, err := definition("aggregate").Run(ctx, env, json.RawMessage(range2026)); !errors.As(err, &refused) ||
		refused.Code != tool.RateLimitExceeded {
		t.Errorf("a third reading of a caller: %v", err)
	}
}
