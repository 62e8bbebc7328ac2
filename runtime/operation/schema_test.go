package operation_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/operation"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

var update = flag.Bool("update", false, "write the golden files")

// server is a reader that answers each read in turn, the last answer again and again, and records
// what was read.
type server struct {
	answers []answer
	read    []string
}

type answer struct {
	body string
	err  error
}

func (s *server) Get(_ context.Context, path rs.Path, query *rs.Query) (*rs.Response, error) {
	given := s.answers[min(len(s.read), len(s.answers)-1)]
	asked := string(path)
	if query.Encoded() != "" {
		asked += "?" + query.Encoded()
	}
	s.read = append(s.read, asked)
	if given.err != nil {
		return nil, given.err
	}
	return &rs.Response{Status: 200, Body: json.RawMessage(given.body), RequestID: "req_1", URL: s.ProviderURL() + asked}, nil
}

func (s *server) ProviderURL() string { return "https://rs.example.com" }

func serving(bodies ...string) *server {
	s := &server{}
	for _, body := range bodies {
		s.answers = append(s.answers, answer{body: body})
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

func golden(t *testing.T, name string, result *tool.Result) {
	t.Helper()
	var structured bytes.Buffer
	if err := json.Indent(&structured, result.Structured, "", " "); err != nil {
		t.Fatal(err)
	}
	compareFile(t, filepath.Join("testdata", name+".text.golden"), result.Text+"\n")
	compareFile(t, filepath.Join("testdata", name+".structured.golden"), structured.String()+"\n")
}

func compareFile(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run the test with -update and review the file", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func schemaOf(t *testing.T, s *server, input operation.SchemaInput) *tool.Result {
	t.Helper()
	result, err := operation.Schema(context.Background(), tool.Env{RS: s}, input)
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
		{"index", "compact_hollow", operation.SchemaInput{}, "/v1/schema?view=compact"},
		{"index_from_full", "full_index", operation.SchemaInput{Detail: pointer("compact")}, "/v1/schema?view=compact"},
		{"index_of_owner", "owner_compact", operation.SchemaInput{}, "/v1/schema?view=compact"},
		{"stream", "compact_stream", operation.SchemaInput{Stream: messages}, "/v1/schema?view=compact&stream=messages"},
		{"stream_from_full", "full_stream", operation.SchemaInput{Stream: messages}, "/v1/schema?view=compact&stream=messages"},
		{"stream_hollow_two", "compact_two_connections", operation.SchemaInput{Stream: pointer("threads")}, "/v1/schema?view=compact&stream=threads"},
		{
			"stream_scoped_here", "compact_two_connections",
			operation.SchemaInput{Stream: pointer("threads"), ConnectionID: personal},
			"/v1/schema?view=compact&stream=threads&connection_id=cin_gmail_personal",
		},
		{"stream_unknown", "unknown_stream", operation.SchemaInput{Stream: pointer("nope")}, "/v1/schema?view=compact&stream=nope"},
		{"full", "full_stream", operation.SchemaInput{Stream: messages, Detail: full}, "/v1/schema?detail=full&stream=messages"},
		{"full_hollow", "full_stream_hollow", operation.SchemaInput{Stream: messages, ConnectionID: personal, Detail: full}, "/v1/schema?detail=full&stream=messages&connection_id=cin_gmail_personal"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := serving(fixture(t, test.fixture))
			result := schemaOf(t, s, test.input)
			if diff := cmp.Diff([]string{test.read}, s.read); diff != "" {
				t.Error(diff)
			}
			golden(t, test.name, result)
		})
	}
}

// R-SCH-6: refused before any read.
func TestSchemaFullNeedsStream(t *testing.T) {
	s := serving(`{}`)
	_, err := operation.Schema(context.Background(), tool.Env{RS: s}, operation.SchemaInput{Detail: pointer("full")})
	var refused *tool.Error
	if !errors.As(err, &refused) || refused.Code != tool.InvalidSchemaDetail || !strings.Contains(refused.Message, `schema(stream, connection_id, detail: "full")`) {
		t.Fatalf("%v", err)
	}
	if len(s.read) > 0 {
		t.Errorf("the server saw %s", s.read)
	}
}

// R-SCH-7: several sources need a choice, whether the server or the adapter finds them.
func TestSchemaFullAmbiguous(t *testing.T) {
	input := operation.SchemaInput{Stream: pointer("threads"), Detail: pointer("full")}
	_, err := operation.Schema(context.Background(), tool.Env{RS: serving(fixture(t, "compact_two_connections"))}, input)
	var refused *tool.Error
	if !errors.As(err, &refused) || refused.Code != tool.AmbiguousConnection || refused.RetryWith != "connection_id" {
		t.Fatalf("%v", err)
	}
	want := `[{"connection_id":"cin_gmail_personal","grant_id":"grt_30db0dc7ce9039f6","connector_key":"gmail","stream":"threads","display_name":"Personal Gmail"},` +
		`{"connection_id":"cin_gmail_work","grant_id":"grt_30db0dc7ce9039f6","connector_key":"gmail","stream":"threads","display_name":"Work Gmail"}]`
	if diff := cmp.Diff(want, string(refused.AvailableConnections)); diff != "" {
		t.Error(diff)
	}
	sent := &rs.Error{Status: 409, Code: "ambiguous_schema_detail"}
	s := &server{answers: []answer{{err: sent}}}
	if _, err := operation.Schema(context.Background(), tool.Env{RS: s}, input); !errors.Is(err, sent) || len(s.read) != 1 {
		t.Errorf("%v after %s", err, s.read)
	}
}

// R-SCH-1: a server that rejects the view or the selectors is asked with less, and no other refusal is
// asked about again.
func TestSchemaSelectorsRejected(t *testing.T) {
	rejected := answer{err: &rs.Error{Status: 400, Code: "invalid_request", Message: "unknown parameter"}}
	s := &server{answers: []answer{rejected, rejected, {body: fixture(t, "compact_two_connections")}}}
	result := schemaOf(t, s, operation.SchemaInput{Stream: pointer("threads"), ConnectionID: pointer("cin_gmail_work")})
	want := []string{
		"/v1/schema?view=compact&stream=threads&connection_id=cin_gmail_work",
		"/v1/schema?stream=threads&connection_id=cin_gmail_work",
		"/v1/schema",
	}
	if diff := cmp.Diff(want, s.read); diff != "" {
		t.Error(diff)
	}
	if strings.Contains(result.Text+string(result.Structured), "cin_gmail_personal") || !strings.Contains(result.Text, "cin_gmail_work") {
		t.Errorf("not scoped: %s", result.Text)
	}
	for _, err := range []error{&rs.Error{Status: 403, Code: "grant_revoked"}, &rs.Failure{Reason: rs.Timeout}} {
		s := &server{answers: []answer{{err: err}}}
		if _, got := operation.Schema(context.Background(), tool.Env{RS: s}, operation.SchemaInput{}); !errors.Is(got, err) || len(s.read) != 1 {
			t.Errorf("%v after %s", got, s.read)
		}
	}
}

// R-SCH-2: a thousand streams with all their capabilities are an index within its bytes, with every name
// in text.
func TestSchemaIndexOfThousand(t *testing.T) {
	var streams []string
	for i := range 1000 {
		streams = append(streams, fmt.Sprintf(`{"name":"stream_number_%04d","field_capabilities":{"subject":{"schema":{"type":"string","description":%q}}}}`,
			i, strings.Repeat("d", 500)))
	}
	body := `{"object":"schema","connectors":[{"connector_key":"big","streams":[` + strings.Join(streams, ",") +
		`],"granted_connections":[{"connection_id":"cin_1"}]}],"streams":[` + strings.Join(streams, ",") + `]}`
	result := schemaOf(t, serving(body), operation.SchemaInput{})
	if size := len(result.Text) + len(result.Structured); size > 40_000 {
		t.Errorf("%d bytes", size)
	}
	for i := range 1000 {
		if name := fmt.Sprintf("stream_number_%04d", i); !strings.Contains(result.Text, name) {
			t.Fatalf("no %s in text", name)
		}
	}
	if !strings.Contains(string(result.Structured), `"stream_count":1000`) || strings.Contains(string(result.Structured), "field_capabilities") {
		t.Errorf("structured output: %.500s", result.Structured)
	}
}

// R-SCH-7, R-BUD-2: an exhaustive schema and a wide row stay within one result and say what gave way.
func TestSchemaTooLarge(t *testing.T) {
	var capabilities, properties []string
	for i := range 800 {
		capabilities = append(capabilities, fmt.Sprintf(`"field_%d":{"schema":{"type":"string"},"exact_filter":{"usable":true}}`, i))
		properties = append(properties, fmt.Sprintf(`"field_%d":{"type":"string","description":%q}`, i, strings.Repeat("d", 100)))
	}
	body := `{"connectors":[{"connector_key":"big","streams":[{"name":"wide","field_capabilities":{` + strings.Join(capabilities, ",") +
		`},"schema":{"properties":{` + strings.Join(properties, ",") + `}}}],"granted_connections":[{"connection_id":"cin_1"}]}]}`
	for _, detail := range []string{"compact", "full"} {
		result := schemaOf(t, serving(body), operation.SchemaInput{Stream: pointer("wide"), Detail: &detail})
		for channel, text := range map[string]string{"text": result.Text, "structured": string(result.Structured)} {
			if length := render.Length(text); length > render.ChannelCharacters {
				t.Errorf("%s %s has %d characters", detail, channel, length)
			}
			if detail == "full" && !strings.Contains(text, "left_out") {
				t.Errorf("%s %s does not say that something is left out", detail, channel)
			}
		}
	}
}

// R-ERR-4: a document of another shape is a typed failure.
func TestSchemaWrongShape(t *testing.T) {
	for _, body := range []string{`{}`, `[]`, `{"connectors":{}}`, `nope`, `{"data":[]}`} {
		_, err := operation.Schema(context.Background(), tool.Env{RS: serving(body)}, operation.SchemaInput{})
		var failure *rs.Failure
		if !errors.As(err, &failure) || failure.Reason != rs.InvalidResponse {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// Older servers wrap the document or list streams without connectors.
func TestSchemaOlderShapes(t *testing.T) {
	for _, body := range []string{
		`{"data":{"connectors":[{"connector_id":"gmail","streams":[{"name":"messages","granted_connections":[{"connection_id":"cin_1"}]}]}]}}`,
		`{"streams":[{"name":"messages","connector_key":"https://registry.example.com/connectors/gmail","connection_id":"cin_1"}]}`,
	} {
		result := schemaOf(t, serving(body), operation.SchemaInput{})
		for _, want := range []string{`connector_key="gmail"`, "messages", `next: schema {"stream":"messages","connection_id":"cin_1"}`} {
			if !strings.Contains(result.Text, want) {
				t.Errorf("%s: text lacks %s:\n%s", body, want, result.Text)
			}
		}
		if strings.Contains(string(result.Structured), `"data":{"data"`) {
			t.Errorf("data stands in data: %s", result.Structured)
		}
	}
}

// R-ERR-4: whatever the document, there is a bounded result or a typed error.
func FuzzSchema(f *testing.F) {
	for _, name := range []string{"compact_stream", "full_stream", "compact_two_connections", "unknown_stream"} {
		body, err := os.ReadFile(filepath.Join("testdata", name+".json"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(body), "messages", "cin_gmail_personal")
	}
	f.Fuzz(func(t *testing.T, body, stream, connection string) {
		for _, input := range []operation.SchemaInput{
			{},
			{ConnectionID: &connection},
			{Stream: &stream},
			{Stream: &stream, ConnectionID: &connection},
			{Stream: &stream, Detail: pointer("full")},
		} {
			result, err := operation.Schema(context.Background(), tool.Env{RS: serving(body)}, input)
			if err != nil {
				continue
			}
			if len(result.Text) > 4*render.ChannelCharacters || render.Length(result.Text) > render.ChannelCharacters ||
				render.Length(string(result.Structured)) > render.ChannelCharacters || !json.Valid(result.Structured) {
				t.Errorf("%s", body)
			}
		}
	})
}
