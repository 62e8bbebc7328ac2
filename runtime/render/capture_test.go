package render_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/record"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/scan"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// capture is one recorded exchange with a resource server.
type capture struct {
	name   string
	target string // path and query that were asked
	answer string // status line, headers and body
	body   string
}

// trimmed is the mark with which the recording replaced many similar items.
var trimmed = regexp.MustCompile(`,\s*"…\(\+\d+ more items trimmed by capture\)"`)

// captures returns the recorded reads.
func captures(t testing.TB) []capture {
	t.Helper()
	paths, err := filepath.Glob("../../sandbox/testdata/captures/*.txt")
	if err != nil || len(paths) < 100 {
		t.Fatalf("%d captures: %v", len(paths), err)
	}
	var found []capture
	for _, path := range paths {
		recorded, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		request, answer, _ := strings.Cut(string(recorded), "\n---\n")
		method, rest, _ := strings.Cut(request, " ")
		target, _, _ := strings.Cut(rest, " ")
		if method != http.MethodGet || !strings.HasPrefix(target, "/v1/") || strings.HasPrefix(target, "/v1/blobs/") {
			continue
		}
		if strings.Contains(answer, "…(hard cut)") {
			continue
		}
		answer = trimmed.ReplaceAllString(strings.TrimLeft(answer, "\n"), "")
		_, body, _ := strings.Cut(answer, "\n\n")
		found = append(found, capture{strings.TrimSuffix(filepath.Base(path), ".txt"), target, answer, body})
	}
	return found
}

// request returns the read as generated code builds it.
func (c capture) request() rs.Request {
	path, query, _ := strings.Cut(c.target, "?")
	asked := rs.Request{Path: rs.Path(path)}
	for _, pair := range strings.Split(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		plainName, nameErr := url.QueryUnescape(name)
		plainValue, valueErr := url.QueryUnescape(value)
		if name != "" && nameErr == nil && valueErr == nil {
			asked.Query.Set(strings.TrimSuffix(plainName, "[]"), plainValue)
		}
	}
	return asked
}

// RoundTrip answers any request with the recorded answer, without its length, since the file is indented.
func (c capture) RoundTrip(request *http.Request) (*http.Response, error) {
	head, body, _ := strings.Cut(c.answer, "\n\n")
	var kept []string
	for _, line := range strings.Split(head, "\n") {
		if !strings.HasPrefix(strings.ToLower(line), "content-length") &&
			!strings.HasPrefix(strings.ToLower(line), "transfer-encoding") {
			kept = append(kept, line)
		}
	}
	wire := strings.Join(kept, "\r\n") + "\r\n\r\n" + body
	response, err := http.ReadResponse(bufio.NewReader(strings.NewReader(wire)), request)
	if err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(strings.NewReader(body))
	return response, nil
}

// read reads the capture with the adapter's client.
func (c capture) read(t testing.TB) (*rs.Response, error) {
	t.Helper()
	client, err := rs.NewClient(rs.Options{BaseURL: provider, Bearer: rs.NewSecret("token_of_a_test_3fKq9"), Transport: c})
	if err != nil {
		t.Fatal(err)
	}
	return client.Get(context.Background(), c.request())
}

// rendered is a tool and its renderer.
type rendered struct {
	tool  string
	bound int // characters of text
	run   func(response *rs.Response, fields []string) (*tool.Result, error)
}

var (
	env    = tool.Env{RS: &silent{}}
	target = recordid.Target{Handle: "cin_1/s:1", ConnectionID: pointer("cin_1"), Stream: "s", RecordID: "1"}
)

// answerTo returns an answer with the request of the input's call, to which the adapter's cursors are bound.
func answerTo(response *rs.Response, path string) *rs.Response {
	asked := *response
	asked.Request = responded(path, "").Request
	return &asked
}

// renderers are all renderers in a fixed order, with inputs for any answer.
var renderers = []rendered{
	{"query_records", render.TextCharacters, func(response *rs.Response, fields []string) (*tool.Result, error) {
		return runRecords(context.Background(), env, answerTo(response, "/v1/streams/s/records"), scan.RowsInput{
			Call: given("query_records", `{"stream":"s"}`), Stream: "s", Fields: fields,
		})
	}},
	{"aggregate", render.TextCharacters, func(response *rs.Response, _ []string) (*tool.Result, error) {
		return runAggregate(context.Background(), env, response, scan.GroupsInput{
			Call: given("aggregate", `{"stream":"s","metric":"count"}`), Stream: "s",
		})
	}},
	{"search", render.TextCharacters, func(response *rs.Response, _ []string) (*tool.Result, error) {
		return runSearch(context.Background(), env, answerTo(response, "/v1/search?q=word"),
			scan.HitsInput{Call: given("search", `{"q":"word"}`)})
	}},
	{"fetch", render.ChannelCharacters, func(response *rs.Response, fields []string) (*tool.Result, error) {
		return readDocument(context.Background(), env, response, record.DocumentInput{Target: target, Fields: fields})
	}},
	{"read_record_field", render.ChannelCharacters, func(response *rs.Response, _ []string) (*tool.Result, error) {
		return readWindow(context.Background(), env, response, record.FieldWindowInput{
			Call: given("read_record_field", `{"id":"cin_1/s:1","field_path":"f"}`), Target: target, FieldPath: "f",
		})
	}},
}

var routes = []struct {
	path *regexp.Regexp
	tool string
}{
	{regexp.MustCompile(`^/v1/streams/[^/?]+/records(\?|$)`), "query_records"},
	{regexp.MustCompile(`^/v1/streams/[^/?]+/aggregate(\?|$)`), "aggregate"},
	{regexp.MustCompile(`^/v1/search(/semantic|/hybrid)?(\?|$)`), "search"},
	{regexp.MustCompile(`^/v1/streams/[^/?]+/records/[^/?]+(\?|$)`), "fetch"},
	{regexp.MustCompile(`^/v1/streams/[^/?]+/records/[^/?]+/field-window(\?|$)`), "read_record_field"},
}

// renderer returns the renderer of a read, or nil if it has none or belongs to schema.
func (c capture) renderer() *rendered {
	for _, route := range routes {
		if !route.path.MatchString(c.target) {
			continue
		}
		for i := range renderers {
			if renderers[i].tool == route.tool {
				return &renderers[i]
			}
		}
	}
	return nil
}
