package shapes_test

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// provider is a resource server that refuses filters and aggregates. Each of its streams has the same rows, the newest
// first.
type provider struct {
	streams int
	rows    int                      // of each stream; hits of each search
	size    int                      // bytes of the text of a row
	next    func(sent string) string // the cursor of each page, which has no rows; nil: pages have rows
	snippet string                   // of each hit
	file    []byte                   // of the record a1

	requests atomic.Int64
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.requests.Add(1)
	_, last, _ := strings.Cut(r.URL.Path, "/v1/")
	last = last[strings.LastIndex(last, "/")+1:]
	switch {
	case r.URL.Path == rs.SchemaRoute:
		fmt.Fprint(w, `{"connectors":[{"connector_key":"c","granted_connections":[{"connection_id":"cin_1"}],"streams":[`)
		names := make([]string, p.streams)
		for i := range names {
			names[i] = fmt.Sprintf(`{"name":"s%05d","cursor_field":"at"}`, i)
		}
		fmt.Fprint(w, strings.Join(names, ",")+`]}]}`)
	case strings.Contains(r.URL.RawQuery, "filter"):
		p.refuse(w, http.StatusBadRequest, "invalid_request", "filter")
	case last == "aggregate":
		p.refuse(w, http.StatusBadRequest, "invalid_request", "metric")
	case last == "field-window":
		p.refuse(w, http.StatusUnprocessableEntity, "field_not_text", "")
	case last == "a1":
		fmt.Fprintf(w, `{"object":"record","id":"a1","stream":"attachments","connection_id":"cin_1",`+
			`"data":{"file":{"blob_id":"b1","fetch_url":"/v1/blobs/b1","size_bytes":%d}}}`, len(p.file))
	case last == "b1":
		w.Header().Set("Content-Length", strconv.Itoa(len(p.file)))
		_, _ = w.Write(p.file)
	case strings.HasPrefix(last, "r") && strings.Contains(r.URL.Path, "/records/"):
		fmt.Fprintf(w, `{"object":"record","id":%q,"stream":"s00000","connection_id":"cin_1",`+
			`"data":{"at":"2026-01-01T00:00:00Z","kind":"a"}}`, last)
	default:
		p.page(w, r, strings.HasPrefix(r.URL.Path, string(rs.SearchRoute)))
	}
}

func (p *provider) refuse(w http.ResponseWriter, status int, code, param string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"error":{"type":"invalid_request_error","code":%q,"message":"no","param":%q}}`, code, param)
}

// page answers with rows or hits. Its cursors are numbers of rows.
func (p *provider) page(w http.ResponseWriter, r *http.Request, isSearch bool) {
	query := r.URL.Query()
	start, _ := strconv.Atoi(query.Get("cursor"))
	limit, _ := strconv.Atoi(cmp.Or(query.Get("limit"), "25"))
	end := min(max(start, 0)+limit, p.rows)
	next := ""
	switch {
	case p.next != nil:
		start, end, next = 0, 0, p.next(query.Get("cursor"))
	case end < p.rows:
		next = strconv.Itoa(end)
	}
	separator := `{"object":"list","data":[`
	for i := start; i < end; i++ {
		if isSearch {
			fmt.Fprintf(w, `%s{"stream":"s00000","record_key":"r%d","connection_id":"cin_1","snippet":{"field":"body","text":"`,
				separator, i)
			_, _ = io.WriteString(w, p.snippet+`"}}`)
		} else {
			at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(-i) * time.Minute).Format(time.RFC3339)
			fmt.Fprintf(w, `%s{"id":"r%d","connection_id":"cin_1","data":{"at":%q,"kind":"a","body":"`, separator, i, at)
			_, _ = io.WriteString(w, letters[:p.size]+`"}}`)
		}
		separator = ","
	}
	if start >= end {
		_, _ = io.WriteString(w, separator)
	}
	fmt.Fprintf(w, `],"has_more":%t`, next != "")
	if next != "" {
		fmt.Fprintf(w, `,"next_cursor":%q`, next)
	} else {
		fmt.Fprint(w, `,"next_changes_since":"bookmark"`)
	}
	fmt.Fprint(w, "}")
}

// letters are the beginning of the text of each row.
var letters = strings.Repeat("x", 500_000)

// client returns a client of the provider, which serves until the test ends.
func (p *provider) client(t testing.TB) *rs.Client {
	t.Helper()
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	transport := rs.NewTransport()
	t.Cleanup(transport.CloseIdleConnections)
	client, err := rs.NewClient(rs.Options{
		BaseURL: server.URL, Bearer: rs.NewSecret("bearer-of-a-shape-test"), Transport: transport, Timeout: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	return client
}
