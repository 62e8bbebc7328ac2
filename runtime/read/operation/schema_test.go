package operation_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/golden"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/operation"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// server is a reader that answers each read of a schema with the next answer, and repeats the last one. It records the
// reads.
type server struct {
	answers []served
	read    []string
	listing string // empty: no list
	listed  chan struct{}
	records string   // of every stream; empty: they cannot be read
	sampled []string // the requests for records
}

type served struct {
	body string
	err  error
}

func (s *server) Get(_ context.Context, request rs.Request) (*rs.Response, error) {
	if request.Path == rs.JoinPath("v1", "streams") {
		if s.listed != nil {
			s.listed <- struct{}{}
		}
		return rs.Response{Status: 200}.WithBody([]byte(cmp.Or(s.listing, `{}`)))
	}
	if strings.HasSuffix(string(request.Path), "/records") {
		s.sampled = append(s.sampled, string(request.Path)+"?"+request.Query.Encoded())
		if s.records == "" {
			return nil, &rs.Failure{Reason: rs.Unreachable}
		}
		return rs.Response{Status: 200}.WithBody([]byte(s.records))
	}
	given := s.answers[min(len(s.read), len(s.answers)-1)]
	asked := string(request.Path)
	if query := request.Query.Encoded(); query != "" {
		asked += "?" + query
	}
	s.read = append(s.read, asked)
	if given.err != nil {
		return nil, given.err
	}
	return rs.Response{Status: 200, RequestID: "req_1", URL: s.ProviderURL() + asked}.WithBody([]byte(given.body))
}

func (s *server) ProviderURL() string { return "https://rs.example.com" }

func serving(bodies ...string) *server {
	s := &server{listed: make(chan struct{}, 10_000)}
	for _, body := range bodies {
		s.answers = append(s.answers, served{body: body})
	}
	return s
}

func fixture(t *testing.T, name string) string {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func compareResult(t *testing.T, name string, result *tool.Result) {
	t.Helper()
	var structured bytes.Buffer
	if err := json.Indent(&structured, result.Structured, "", " "); err != nil {
		t.Fatal(err)
	}
	golden.File(t, filepath.Join("testdata", name+".text.golden"), result.Text+"\n")
	golden.File(t, filepath.Join("testdata", name+".structured.golden"), structured.String()+"\n")
}

// schemaResult returns the rendered answer of a call of schema.
func schemaResult(ctx context.Context, env tool.Env, input operation.SchemaInput) (*tool.Result, error) {
	found, err := operation.Schema(ctx, env, input)
	if err != nil {
		return nil, err
	}
	return found.Render()
}

func schemaOf(t *testing.T, s *server, input operation.SchemaInput) *tool.Result {
	t.Helper()
	result, err := schemaResult(context.Background(), tool.Env{RS: s}, input)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func pointer(value string) *string { return &value }

// R-SCH-1, R-SCH-2, R-SCH-3, R-SCH-4, R-SCH-5, R-SCH-7, R-SCH-8: documents as servers sent them.
func TestSchemaGolden(t *testing.T) {
	messages, personal, full := pointer("messages"), pointer("cin_gmail_personal"), pointer("full")
	for _, test := range []struct {
		name, fixture string
		input         operation.SchemaInput
		read          string
	}{
		{"index", "captured/011", operation.SchemaInput{}, "/v1/schema?view=compact"},
		{"index_from_full", "full_index", operation.SchemaInput{Detail: pointer("compact")}, "/v1/schema?view=compact"},
		{"index_of_owner", "owner_compact", operation.SchemaInput{}, "/v1/schema?view=compact"},
		{"stream", "captured/011b", operation.SchemaInput{Stream: messages}, "/v1/schema?view=compact&stream=messages"},
		{
			"stream_from_full", "full_stream",
			operation.SchemaInput{Stream: messages},
			"/v1/schema?view=compact&stream=messages",
		},
		{
			"stream_hollow_two", "captured/015",
			operation.SchemaInput{Stream: pointer("threads")},
			"/v1/schema?view=compact&stream=threads",
		},
		{
			"stream_scoped_here", "captured/015",
			operation.SchemaInput{Stream: pointer("threads"), ConnectionID: personal},
			"/v1/schema?view=compact&stream=threads&connection_id=cin_gmail_personal",
		},
		{
			"full", "full_stream",
			operation.SchemaInput{Stream: messages, Detail: full},
			"/v1/schema?detail=full&stream=messages",
		},
		{
			"full_hollow", "full_stream_hollow",
			operation.SchemaInput{Stream: messages, ConnectionID: personal, Detail: full},
			"/v1/schema?detail=full&stream=messages&connection_id=cin_gmail_personal",
		},
		{"captured/010_index", "captured/010", operation.SchemaInput{}, "/v1/schema?view=compact"},
		{
			"captured/013_stream", "captured/013",
			operation.SchemaInput{Stream: messages},
			"/v1/schema?view=compact&stream=messages",
		},
		{
			"captured/013_full", "captured/013",
			operation.SchemaInput{Stream: messages, Detail: full},
			"/v1/schema?detail=full&stream=messages",
		},
		{
			"captured/013b_stream", "captured/013b",
			operation.SchemaInput{Stream: messages},
			"/v1/schema?view=compact&stream=messages",
		},
		{
			"captured/013b_full", "captured/013b",
			operation.SchemaInput{Stream: messages, Detail: full},
			"/v1/schema?detail=full&stream=messages",
		},
		{
			"captured/014_index_of_connection", "captured/014",
			operation.SchemaInput{ConnectionID: personal},
			"/v1/schema?view=compact&connection_id=cin_gmail_personal",
		},
		{"captured/015_index", "captured/015", operation.SchemaInput{}, "/v1/schema?view=compact"},
		{"captured/016_index", "captured/016", operation.SchemaInput{}, "/v1/schema?view=compact"},
		{
			"captured/016_stream", "captured/016",
			operation.SchemaInput{Stream: messages},
			"/v1/schema?view=compact&stream=messages",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := serving(fixture(t, test.fixture))
			result := schemaOf(t, s, test.input)
			if diff := gocmp.Diff([]string{test.read}, s.read); diff != "" {
				t.Error(diff)
			}
			if counts := test.input.Stream == nil; len(s.listed) != map[bool]int{true: 1}[counts] { // R-SCH-9
				t.Errorf("the list of streams was read %d times", len(s.listed))
			}
			compareResult(t, test.name, result)
		})
	}
}

// R-SCH-4, R-ERR-7: names that the schema does not have are refused, and the schema can correct them. The server's
// warnings name the sources that did not answer.
func TestSchemaOfUnknownNames(t *testing.T) {
	for message, test := range map[string]struct {
		body  string
		input operation.SchemaInput
	}{
		`stream="nope"`:            {fixture(t, "captured/017"), operation.SchemaInput{Stream: pointer("nope")}},
		`connection_id="cin_nope"`: {fixture(t, "captured/018"), operation.SchemaInput{ConnectionID: pointer("cin_nope")}},
		"source_unavailable": {
			`{"connectors":[],"meta":{"warnings":[{"code":"source_unavailable","message":"no answer"}]}}`,
			operation.SchemaInput{Stream: pointer("nope")},
		},
	} {
		_, err := schemaResult(t.Context(), tool.Env{RS: serving(test.body)}, test.input)
		var refused *tool.Error
		if !errors.As(err, &refused) || !refused.AboutNames || !strings.Contains(refused.Message, message) {
			t.Errorf("%s: got %v", message, err)
		}
	}
}

// R-SCH-9: the index shows the streams of each connection, their number of records, and when the last one was added:
// for three connections, two of them without one stream, and for grants of a running server.
func TestIndexShowsTheStreamsOfEachConnection(t *testing.T) {
	for name, test := range map[string]struct{ schema, listing string }{
		"holdings":          {fixture(t, "813d_three"), fixture(t, "811c_three")},
		"holdings_unlisted": {fixture(t, "813d_three"), `{"error":"no such route"}`},
		"captured/813b":     {fixture(t, "813b"), fixture(t, "811b")},
		"captured/813d":     {fixture(t, "813d"), fixture(t, "811c")},
	} {
		s := serving(test.schema)
		s.listing = test.listing
		compareResult(t, name, schemaOf(t, s, operation.SchemaInput{}))
	}
}
