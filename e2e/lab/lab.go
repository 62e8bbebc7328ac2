// Package lab serves the records behind the captures 749 to 790 from a sandbox with open reads. Tests of what the
// adapter computes itself hold their results to it, and to what the captured server said.
package lab

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/e2e/sandboxtest"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/sandbox"
	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization"
	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// Path is the stream's path. Connection selects its larger connection for the owner's token.
const (
	Path       = "/v1/streams/samples/"
	Connection = "connector_id=typelab&connection_id=cin_lab_a"
)

//go:embed samples.jsonl
var samples []byte

// Record is one record of a server's response.
type Record struct {
	ConnectionID string          `json:"connection_id"`
	ID           string          `json:"id"`
	Data         json.RawMessage `json:"data"`
}

// fields are those of the captured schema (749c).
var fields = []catalog.Field{
	{Name: "id", Type: "string", Exact: true},
	{Name: "title", Type: "string", Nullable: true, Exact: true, Lexical: true},
	{Name: "kind", Type: "string", Exact: true, Aggregations: []string{"count_distinct", "group_by"}},
	{Name: "qty", Type: "integer", Exact: true, Range: []string{"gte", "lt"}, Aggregations: []string{"max", "min", "sum"}},
	{
		Name: "amount", Type: "number", Nullable: true, Exact: true, Range: []string{"gte", "gt", "lte", "lt"},
		Aggregations: []string{"max", "min", "sum"},
	},
	{Name: "flag", Type: "boolean", Exact: true, Aggregations: []string{"group_by"}},
	{
		Name: "at", Type: "string", Format: "date-time", Exact: true, Range: []string{"gte", "gt", "lte", "lt"},
		Aggregations: []string{"group_by_time", "max", "min"},
	},
	{
		Name: "day", Type: "string", Format: "date", Exact: true, Range: []string{"gte", "gt", "lte", "lt"},
		Aggregations: []string{"group_by_time"},
	},
	{
		Name: "opt_at", Type: "string", Format: "date-time", Nullable: true, Exact: true,
		Range: []string{"gte", "gt", "lte", "lt"},
	},
	{Name: "tags", Type: "array"},
	{Name: "info", Type: "object"},
	{Name: "mixed", Type: "string|integer"},
	{Name: "plain_num", Type: "number", Exact: true},
	{Name: "code", Type: "string", Exact: true, Lexical: true, Aggregations: []string{"count_distinct"}},
}

// Dataset returns the samples of both connections.
func Dataset(t testing.TB) *catalog.Dataset {
	t.Helper()
	set := &catalog.Dataset{
		Connectors: []catalog.Connector{{Key: "typelab", Name: "Type laboratory", Streams: []catalog.Stream{{
			Name: "samples", PrimaryKey: []string{"id"}, CursorField: "at", ConsentTimeField: "at", Fields: fields,
		}}}},
		Connections: []catalog.Connection{
			{ID: "cin_lab_a", ConnectorKey: "typelab", DisplayName: "Lab A"},
			{ID: "cin_lab_b", ConnectorKey: "typelab", DisplayName: "Lab B"},
		},
	}
	for line := range bytes.Lines(samples) {
		var record Record
		if err := json.Unmarshal(line, &record); err != nil {
			t.Fatal(err)
		}
		set.Records = append(set.Records, catalog.Record{
			ConnectionID: record.ConnectionID, Stream: "samples", Key: record.ID, Data: record.Data,
			EmittedAt: time.Date(2026, 5, 2, 0, 0, 0, 0, time.UTC),
		})
	}
	return set
}

// Server is a sandbox that listens, read with its owner's token.
type Server struct {
	URL string

	t      testing.TB
	token  string // the owner's
	client string
}

// Serve serves a dataset with open reads; the sandbox's own sample data when it is nil.
func Serve(t testing.TB, set *catalog.Dataset) *Server {
	t.Helper()
	options := sandbox.Options{Seed: 1, Data: set, Reads: resource.ReadsOpen}
	if set != nil {
		both := catalog.StreamGrant{Name: "samples", ConnectionIDs: []string{"cin_lab_a", "cin_lab_b"}}
		options.Authorization = []authorization.Option{authorization.WithGrants(map[string]catalog.Grant{
			clientOfBoth: {ConnectorKey: "typelab", Streams: []catalog.StreamGrant{both}},
		})}
	}
	box, origin := sandboxtest.Serve(t, options)
	return &Server{t: t, URL: origin, token: box.Tokens()["owner"], client: box.Tokens()[clientOfBoth]}
}

// clientOfBoth names the grant over the samples of both connections.
const clientOfBoth = "client_lab_both"

// Client reads the samples of both connections with the token of a client.
func (s *Server) Client() *rs.Client {
	s.t.Helper()
	client, err := rs.NewClient(rs.Options{BaseURL: s.URL, ProviderURL: s.URL, Bearer: rs.NewSecret(s.client)})
	if err != nil {
		s.t.Fatal(err)
	}
	return client
}

// Get reads a path with a query.
func (s *Server) Get(target string) (status int, body []byte) {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.URL+target, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	if body, err = io.ReadAll(response.Body); err != nil {
		s.t.Fatal(err)
	}
	return response.StatusCode, body
}

// Page is a page of records.
type Page struct {
	Data       []Record `json:"data"`
	NextCursor string   `json:"next_cursor"`
}

// Records reads all records that a list of a path and a query has, page by page, or is nil when it is refused.
func (s *Server) Records(target string) []Record {
	s.t.Helper()
	records, cursor := []Record{}, ""
	for {
		status, body := s.Get(target + "&limit=100" + cursor)
		if status != http.StatusOK {
			return nil
		}
		var page Page
		if err := json.Unmarshal(body, &page); err != nil {
			s.t.Fatal(err)
		}
		if records = append(records, page.Data...); page.NextCursor == "" {
			return records
		}
		cursor = "&cursor=" + url.QueryEscape(page.NextCursor)
	}
}

// Capture is one captured read.
type Capture struct {
	Name   string
	Query  url.Values
	Status int
	Body   []byte
}

// Filter returns the filter of a query, or nil when typed arguments cannot express it: they have each operator of a
// field once, and no exact condition next to others.
func Filter(query url.Values) rs.Filter {
	var filter rs.Filter
	for _, name := range slices.Sorted(maps.Keys(query)) {
		parts := parameter.FindStringSubmatch(name)
		if parts == nil {
			if strings.HasPrefix(name, "filter") {
				return nil
			}
			continue
		}
		for _, value := range query[name] {
			filter = append(filter, rs.Condition{Field: parts[1], Operator: parts[2], Value: value})
		}
	}
	for i, each := range filter {
		isAgain := func(c rs.Condition) bool {
			return c.Field == each.Field && (c.Operator == each.Operator || c.Operator == "" || each.Operator == "")
		}
		if !slices.Contains([]string{"", "gte", "gt", "lte", "lt"}, each.Operator) ||
			slices.ContainsFunc(filter[:i], isAgain) {
			return nil
		}
	}
	return filter
}

var parameter = regexp.MustCompile(`^filter\[([^\]]+)\](?:\[(\w*)\])?$`)

// Captures returns the captures in the sandbox's folder whose names match a pattern. It is called from packages in
// folders of runtime.
func Captures(t testing.TB, pattern string) []Capture {
	t.Helper()
	paths, err := filepath.Glob("../../../sandbox/testdata/captures/" + pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no captures %s: %v", pattern, err)
	}
	captures := make([]Capture, len(paths))
	for i, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		asked, answered, _ := bytes.Cut(content, []byte("\n---\n"))
		line, _, _ := strings.Cut(string(asked), " HTTP/1.1")
		_, query, _ := strings.Cut(line, "?")
		head, body, _ := bytes.Cut(bytes.TrimSpace(answered), []byte("\n\n"))
		response, err := http.ReadResponse(bufio.NewReader(io.MultiReader(bytes.NewReader(head), strings.NewReader("\n\n"))),
			nil)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		_ = response.Body.Close()
		captures[i] = Capture{Name: strings.TrimSuffix(filepath.Base(path), ".txt"), Status: response.StatusCode, Body: body}
		if captures[i].Query, err = url.ParseQuery(query); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	return captures
}
