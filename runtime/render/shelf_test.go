package render_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// shelf is a resource server over HTTP with the rows of one stream of one or several connections. It pages like real
// servers (docs/provider-contract.md).
type shelf struct {
	rows          []shelved
	perConnection bool // a search counts its limit for each connection
	most          int  // rows of a page at most; 0: as many as asked for

	mu    sync.Mutex
	asked []string
}

type shelved struct {
	connection string
	record     string // as a list of records has it
	hit        string // as a search has it
	meaning    int    // its rank by meaning, which hybrid search fuses with the order of the rows
}

// shelve returns rows with texts of these sizes, distributed over the connections.
func shelve(connections int, sizes ...int) []shelved {
	rows := make([]shelved, len(sizes))
	for i, size := range sizes {
		connection := fmt.Sprintf("cin_%d", i%connections+1)
		named := fmt.Sprintf(`"stream":"notes","connection_id":%q,"display_name":"Notes","emitted_at":"2026-01-01T00:00:00Z"`,
			connection)
		rows[i] = shelved{
			connection: connection,
			meaning:    (i * 37) % len(sizes),
			record: fmt.Sprintf(`{"object":"record","id":"r%04d",%s,"data":{"n":%d,"body":%q}}`, i, named,
				i, strings.Repeat("word ", size/5)),
			hit: fmt.Sprintf(`{"object":"search_result","record_key":"r%04d",%s,"snippet":{"field":"body","text":%q}}`,
				i, named, strings.Repeat("word ", min(size, 200)/5)),
		}
	}
	return rows
}

// open serves the shelf and returns a client of it.
func (s *shelf) open(t *testing.T) *rs.Client {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	client, err := rs.NewClient(rs.Options{
		BaseURL: server.URL, ProviderURL: provider,
		Bearer: rs.NewSecret("client-token-of-the-shelf"),
	})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// ServeHTTP answers one read.
func (s *shelf) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	s.mu.Lock()
	s.asked = append(s.asked, request.URL.RequestURI())
	s.mu.Unlock()
	query := request.URL.Query()
	limit, err := strconv.Atoi(query.Get("limit"))
	if err != nil || limit < 1 {
		limit = 25
	}
	limit = min(limit, 100)
	if s.most > 0 {
		limit = min(limit, s.most)
	}
	rows := slices.DeleteFunc(slices.Clone(s.rows), func(row shelved) bool {
		return query.Has("connection_id") && row.connection != query.Get("connection_id")
	})
	var page shelfPage
	switch request.URL.Path {
	case "/v1/streams/notes/records":
		page = s.records(rows, limit, query.Get("cursor"), query.Has("connection_id"))
		if query.Has("changes_since") && query.Has("cursor") {
			page = refused("cursor")
		}
		if query.Has("changes_since") || query.Has("cursor") {
			page.feed = !page.more
		}
	case "/v1/search":
		page = s.lexical(rows, limit, query.Get("cursor"))
	case "/v1/search/hybrid":
		page = hybrid(rows, limit)
		if query.Has("cursor") {
			page = refused("cursor")
		}
	default:
		page = refused("path")
	}
	w.Header().Set("Content-Type", "application/json")
	page.write(w)
}

// shelfPage is one answer.
type shelfPage struct {
	rows    []string
	more    bool
	cursor  string
	feed    bool
	refused string
}

func refused(parameter string) shelfPage { return shelfPage{refused: parameter} }

func (p shelfPage) write(w http.ResponseWriter) {
	if p.refused != "" {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprintf(w, `{"error":{"type":"invalid_request_error","code":"invalid_request","message":"no such %[1]s",`+
			`"param":%[1]q}}`, p.refused)
		return
	}
	body := map[string]any{
		"object": "list", "has_more": p.more, "data": []json.RawMessage{},
		"meta": map[string]any{"warnings": []string{}},
	}
	rows := make([]json.RawMessage, len(p.rows))
	for i, row := range p.rows {
		rows[i] = json.RawMessage(row)
	}
	body["data"] = rows
	if p.cursor != "" {
		body["next_cursor"] = p.cursor
	}
	if p.feed {
		body["next_changes_since"] = "feed-1"
	}
	_ = json.NewEncoder(w).Encode(body)
}

func (s *shelf) connections() int {
	seen := map[string]bool{}
	for _, row := range s.rows {
		seen[row.connection] = true
	}
	return len(seen)
}

// records pages by cursor over one connection. Over several it returns the first rows of each, without a cursor (063).
func (s *shelf) records(rows []shelved, limit int, cursor string, named bool) shelfPage {
	if named || s.connections() < 2 {
		return paged(rows, limit, cursor, func(row shelved) string { return row.record })
	}
	if cursor != "" {
		return refused("cursor")
	}
	shown, more := firstOfEach(rows, limit)
	page := shelfPage{more: more}
	for _, row := range shown {
		page.rows = append(page.rows, row.record)
	}
	return page
}

func (s *shelf) lexical(rows []shelved, limit int, cursor string) shelfPage {
	hit := func(row shelved) string { return row.hit }
	if !s.perConnection {
		return paged(rows, limit, cursor, hit)
	}
	shown, more := firstOfEach(rows, limit)
	page := shelfPage{more: more}
	for _, row := range shown {
		page.rows = append(page.rows, row.hit)
	}
	return page
}

func paged(rows []shelved, limit int, cursor string, shown func(shelved) string) shelfPage {
	from := 0
	if cursor != "" {
		number, err := strconv.Atoi(strings.TrimPrefix(cursor, "at"))
		if err != nil || number > len(rows) {
			return refused("cursor")
		}
		from = number
	}
	to := min(from+limit, len(rows))
	page := shelfPage{more: to < len(rows)}
	if page.more {
		page.cursor = fmt.Sprintf("at%d", to)
	}
	for _, row := range rows[from:to] {
		page.rows = append(page.rows, shown(row))
	}
	return page
}

// firstOfEach returns the first rows of each connection up to the limit, one connection after the other.
func firstOfEach(rows []shelved, limit int) ([]shelved, bool) {
	counts, more := map[string]int{}, false
	var shown []shelved
	for _, row := range rows {
		if counts[row.connection]++; counts[row.connection] <= limit {
			shown = append(shown, row)
		} else {
			more = true
		}
	}
	slices.SortStableFunc(shown, func(a, b shelved) int { return cmp.Compare(a.connection, b.connection) })
	return shown, more
}

// hybrid merges the first rows of two rankings up to the limit: with another limit a row has another rank (920, 920b).
func hybrid(rows []shelved, limit int) shelfPage {
	byMeaning := slices.Clone(rows)
	slices.SortStableFunc(byMeaning, func(a, b shelved) int { return cmp.Compare(a.meaning, b.meaning) })
	weights := map[string]float64{}
	for _, ranked := range [][]shelved{rows, byMeaning} {
		for rank, row := range ranked[:min(limit, len(ranked))] {
			weights[row.hit] += 1 / float64(60+rank)
		}
	}
	fused := slices.DeleteFunc(slices.Clone(rows), func(row shelved) bool { return weights[row.hit] == 0 })
	slices.SortStableFunc(fused, func(a, b shelved) int { return cmp.Compare(weights[b.hit], weights[a.hit]) })
	page := shelfPage{more: len(fused) > limit}
	for _, row := range fused[:min(limit, len(fused))] {
		page.rows = append(page.rows, row.hit)
	}
	return page
}
