package refusal_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/golden"
	"github.com/pdppmcp/pdpp-mcp/runtime/call/refusal"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// provider refuses every read in the same way, and has a schema.
type provider struct {
	status int
	body   string
	schema []byte // nil: not found for this token
	seen   []string
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/v1/streams" { // the index reads it too
		p.seen = append(p.seen, r.URL.Path)
	}
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.URL.Path == "/v1/schema" && p.schema != nil:
		schema := p.schema
		if r.URL.Query().Get("view") == "compact" { // which has no views
			schema = bytes.ReplaceAll(schema, []byte(`"views"`), []byte(`"-"`))
		}
		_, _ = w.Write(schema)
	case r.URL.Path == "/v1/schema":
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, unknownSource)
	default:
		w.WriteHeader(p.status)
		fmt.Fprint(w, p.body)
	}
}

// Bodies as a running server sent them; the numbers are those of the captures.
const (
	failedClosed = `{"error":{"code":"context.%s","message":"Token introspection failed closed",` +
		`"type":"authentication_error",` +
		`"resource_metadata":"http://localhost:7663/.well-known/oauth-protected-resource","next_step":"Fetch ` +
		`error.resource_metadata."}}`
	unknownField = `{"error":{"code":"unknown_field","message":"Unknown field: %s","type":"invalid_request_error"}}`
	invalid      = `{"error":{"code":"%s","message":"%s","type":"invalid_request_error"}}`
	forbidden    = `{"error":{"code":"%s","message":"%s","type":"permission_error"}}`
	ofTwo        = `{"error":{"code":"ambiguous_connection","message":"Record 'shared-1' is present under more than one ` +
		`connection.",` +
		`"type":"api_error","available_connections":[{"connection_id":"cin_a"},{"connection_id":"cin_b"}],` +
		`"retry_with":"connection_id"}}`
	unknownSource = `{"error":{"code":"not_found","message":"Unknown source: unknown","type":"not_found_error"}}`
)

// R-ERR-7, R-STDIO-6: refusals of a running server with the schema for the same token: 813b and 813d for a client's
// token, 813i advertised in full. The golden has the texts.
func TestCapturedRefusals(t *testing.T) {
	mismatch, notAllowed := fmt.Sprintf(failedClosed, "instance_mismatch"), fmt.Sprintf(failedClosed, "stream_not_allowed")
	var shown strings.Builder
	for _, test := range []struct {
		name, schema, tool, arguments string
		status                        int
		body                          string
	}{
		{"061 a misspelt stream", "813d", "query_records", `{"stream":"mesages","limit":2}`, 401, notAllowed},
		{"061 a stream that is not granted", "813d", "query_records", `{"stream":"calendar"}`, 401, notAllowed},
		{
			"814 a connection without the stream", "813b", "query_records",
			`{"stream":"notes","connection_id":"cin_lab_a"}`, 401, mismatch,
		},
		{"065 a display name", "813d", "query_records", `{"stream":"messages","connection_id":"Work Gmail"}`, 401, mismatch},
		{
			"065 an unknown connection", "813d", "aggregate",
			`{"stream":"messages","metric":"count","connection_id":"cin_nope"}`, 401, mismatch,
		},
		{"933b the connection of an id", "813d", "fetch", `{"id":"cin_gmail_persnal/messages:m1"}`, 401, mismatch},
		{
			"803c an unknown field", "813d", "query_records", `{"stream":"messages","fields":["subject","receivedAt"]}`, 400,
			fmt.Sprintf(unknownField, "receivedAt"),
		},
		{
			"803c a field that is asked for already", "813d", "query_records",
			`{"stream":"messages","fields":["subject","subjct"]}`, 400, fmt.Sprintf(unknownField, "subjct"),
		},
		{
			"803c two fields may be meant", "813d", "query_records", `{"stream":"messages","fields":["from"]}`, 400,
			fmt.Sprintf(unknownField, "from"),
		},
		{
			"803c a field of another stream", "813d", "query_records", `{"stream":"labels","fields":["subject"]}`, 400,
			fmt.Sprintf(unknownField, "subject"),
		},
		{
			"038b a field outside the grant", "813i", "query_records", `{"stream":"samples","fields":["qtty"]}`, 403,
			fmt.Sprintf(forbidden, "field_not_granted", "Fields not in grant: qtty"),
		},
		{
			"804b another sort, advertised", "813i", "query_records", `{"stream":"samples","sort":"qty"}`, 400,
			fmt.Sprintf(invalid, "invalid_sort", "Sort field 'qty' is not advertised as sortable"),
		},
		{
			"804c a sort in words, advertised", "813i", "query_records", `{"stream":"samples","sort":"at desc"}`, 400,
			fmt.Sprintf(invalid, "invalid_sort", "Sort field 'at desc' is not advertised as sortable"),
		},
		{
			"a sort over two lines", "813i", "query_records", `{"stream":"samples","sort":"qty\n,code"}`, 400,
			fmt.Sprintf(invalid, "invalid_sort", "Sort field is not advertised as sortable"),
		},
		{
			"a sort by no field", "813i", "query_records", `{"stream":"samples","sort":"newest"}`, 400,
			fmt.Sprintf(invalid, "invalid_sort", "Sort field 'newest' is not advertised as sortable"),
		},
		{
			"a sort by a misspelled field, not advertised", "813b", "query_records", `{"stream":"samples","sort":"-amout"}`, 400,
			fmt.Sprintf(invalid, "invalid_sort", "Sort field 'amout' is not advertised as sortable"),
		},
		{
			"804c a sort in words, not advertised", "813b", "query_records", `{"stream":"samples","sort":"when asc"}`, 400,
			fmt.Sprintf(invalid, "invalid_sort", "Sort field 'when asc' is not advertised as sortable"),
		},
		{
			"810c an aggregate that is not declared", "813i", "aggregate",
			`{"stream":"samples","metric":"sum","field":"plain_num"}`, 400,
			fmt.Sprintf(invalid, "invalid_request", "Aggregation sum is not declared for 'plain_num'"),
		},
		{
			"810f the same, not advertised", "813b", "aggregate", `{"stream":"samples","metric":"count","group_by":"code"}`, 400,
			fmt.Sprintf(invalid, "invalid_request", "Aggregation group_by is not declared for 'code'"),
		},
		{
			"781h a sum of nothing", "813i", "aggregate", `{"stream":"samples","metric":"sum"}`, 400,
			fmt.Sprintf(invalid, "invalid_request", "field is required for sum"),
		},
		{"a record of two connections", "813d", "fetch", `{"id":"messages:shared-1","fields":["subject"]}`, 409, ofTwo},
		{
			"of the connection that was named", "813d", "fetch",
			`{"id":"messages:shared-1","connection_id":"cin_gmail_work"}`, 409, ofTwo,
		},
		{"several sources of a schema", "813d", "schema", `{"stream":"messages","detail":"full"}`, 200, `{}`},
		{
			"784d no granularity", "813i", "aggregate", `{"stream":"samples","metric":"count","group_by_time":"at"}`, 400,
			fmt.Sprintf(invalid, "invalid_request", "granularity is required when group_by_time is present"),
		},
		{
			"a time zone that the server does not know", "813i", "aggregate",
			`{"stream":"samples","metric":"count","group_by_time":"at","granularity":"day","time_zone":"Europe/Kyiv"}`, 400,
			fmt.Sprintf(invalid, "invalid_request", "Unknown time_zone: 'Europe/Kyiv'"),
		},
		{
			"the same of undeclared fields", "813b", "aggregate", `{"stream":"samples","metric":"count","group_by":"kind",` +
				`"group_by_time":"at","granularity":"day","time_zone":"Europe/Kyiv"}`, 400,
			fmt.Sprintf(invalid, "invalid_request", "group_by and group_by_time cannot be combined"),
		},
		{
			"815c an unknown stream of a search", "813d", "search", `{"q":"x","streams":["messages","thread"]}`, 403,
			fmt.Sprintf(forbidden, "grant_stream_not_allowed", "Stream 'thread' not in grant"),
		},
		{
			"a field that no searched stream has", "813i", "search", `{"q":"x","filter":{"nonsense":true}}`, 400,
			fmt.Sprintf(unknownField, "nonsense"),
		},
		{
			"a field with an operator in a search", "813i", "search", `{"q":"x","filter":{"code_from":"b"}}`, 400,
			fmt.Sprintf(unknownField, "code_from"),
		},
		{
			"a misspelled field in a search", "813i", "search", `{"q":"x","filter":{"codee":"b"}}`, 400,
			fmt.Sprintf(unknownField, "codee"),
		},
		{
			"800 a filter that clients may not use", "813d", "query_records", `{"stream":"messages","filter":{"is_seen":false}}`,
			400, `{"error":{"code":"invalid_request","message":"Client record reads do not support filter",` +
				`"type":"invalid_request_error","param":"filter"}}`,
		},
		{"206b a package token", "", "query_records", `{"stream":"messages"}`, 404, unknownSource},
		{"206 a package token, at the schema", "", "schema", `{}`, 404, unknownSource},
		{
			"621 a record that is not there", "813d", "fetch", `{"id":"cin_gmail_work/messages:m0"}`, 404,
			`{"error":{"code":"not_found","message":"Record not found","type":"not_found_error"}}`,
		},
		{"876 a bad login", "813d", "query_records", `{"stream":"mesages"}`, 401, fmt.Sprintf(failedClosed, "active_false")},
		{"a stream by another word", "813d", "query_records", `{"stream":"mail"}`, 401, notAllowed},
		{
			"a field that is not granted", "ungranted", "query_records",
			`{"stream":"samples","fields":["code"],"connection_id":"cin_lab"}`, 403,
			fmt.Sprintf(forbidden, "field_not_granted", "Fields not in grant: code"),
		},
		{
			"a field of another connector's stream", "ungranted", "query_records",
			`{"stream":"samples","fields":["prize"],"connection_id":"cin_shop"}`, 400, fmt.Sprintf(unknownField, "prize"),
		},
		{
			"a feed since a date", "ungranted", "query_records",
			`{"stream":"samples","filter":{"id":"s1"},"changes_since":"2026-04-20"}`, 400,
			fmt.Sprintf(invalid, "invalid_cursor", "Malformed changes_since cursor"),
		},
		{
			"a feed since a date, not advertised", "813b", "query_records",
			`{"stream":"samples","changes_since":"2026-04-20T08:00:00Z"}`, 400,
			fmt.Sprintf(invalid, "invalid_cursor", "Malformed changes_since cursor"),
		},
		{
			"a feed since its start", "813b", "query_records", `{"stream":"samples","changes_since":"start"}`, 400,
			fmt.Sprintf(invalid, "invalid_cursor", "Malformed changes_since cursor"),
		},
		{
			"several streams, under another name", "813d", "query_records",
			`{"streams":["messages","labels"],"limit":2}`, 200, `{}`,
		},
		{"several streams", "813d", "query_records", `{"stream":["messages","labels"]}`, 200, `{}`},
		{"a number for a stream", "813d", "query_records", `{"stream":7}`, 200, `{}`},
		{"a number for words", "813d", "search", `{"q":7}`, 200, `{}`},
		{"the key of a record", "813d", "fetch", `{"id":"[\"kartenwerk/pfad\",130]"}`, 200, `{}`},
		{
			"a sum without its field", "813d", "aggregate",
			`{"stream":"messages","metric":"sum","group_by":"labels"}`, 200, `{}`,
		},
		{"a count of a field", "813d", "aggregate", `{"stream":"messages","metric":"count","field":"labels"}`, 200, `{}`},
		{
			"time groups without granularity", "813d", "aggregate",
			`{"stream":"messages","metric":"count","group_by":"labels","group_by_time":"date"}`, 200, `{}`,
		},
		{
			"060 a bad cursor", "813d", "query_records", `{"stream":"messages","cursor":"2"}`, 400,
			fmt.Sprintf(invalid, "invalid_cursor", "Malformed cursor"),
		},
	} {
		p := &provider{status: test.status, body: test.body}
		if test.schema != "" {
			schema, err := os.ReadFile("testdata/" + test.schema + ".json")
			if err != nil {
				t.Fatal(err)
			}
			p.schema = schema
		}
		result := refused(t, p, test.tool, test.arguments)
		fmt.Fprintf(&shown, "== %s: %s %s\n%s\n", test.name, test.tool, test.arguments, result.Text)
		for name, value := range result.Meta {
			fmt.Fprintf(&shown, "_meta %s: %s\n", name, value)
		}
		fmt.Fprintf(&shown, "read: %s\n", strings.Join(p.seen, " "))
		// an aggregate in a time zone reads whether its times are dates
		reads := slices.DeleteFunc(slices.Clone(p.seen), func(path string) bool {
			return test.tool == "aggregate" && path == "/v1/streams/samples/records"
		})
		if own := slices.Index(reads, "/v1/schema"); own == 0 && test.tool != "schema" || len(reads) > 2 {
			t.Errorf("%s: the schema was read before the refusal, or more than once: %s", test.name, p.seen)
		}
	}
	golden.File(t, "testdata/explained.golden", shown.String())
}

func refused(t *testing.T, p *provider, name, arguments string) *tool.Result {
	t.Helper()
	server := httptest.NewServer(p)
	defer server.Close()
	reader, err := rs.NewClient(rs.Options{BaseURL: server.URL, Bearer: rs.NewSecret("a-scoped-token-of-a-test")})
	if err != nil {
		t.Fatal(err)
	}
	_, err = query(name).Run(t.Context(), tool.Env{RS: reader}, json.RawMessage(arguments))
	if err == nil {
		t.Fatalf("%s %s is not refused", name, arguments)
	}
	return tool.Failed(err)
}

// R-ERR-1, R-ERR-5: both channels of an ambiguous call have the candidates, and one call per connection with its label.
func TestAmbiguousCallNamesTheConnectionsInBothChannels(t *testing.T) {
	const candidates = `[{"grant_id":"grt_7640f56f9e87050d","connector_key":"gmail",` +
		`"connection_id":"cin_gmail_personal","display_name":"Personal Gmail"},` +
		`{"grant_id":"grt_25bf99652d2004ab","connector_key":"gmail","connection_id":"cin_gmail_work","display_name":"Work Gmail"}]`
	definition := query("query_records")
	definition.Ask = func(context.Context, tool.Env, json.RawMessage) (*tool.Answer, error) {
		return nil, &tool.Error{
			Code: tool.AmbiguousConnection, Message: `2 connections have stream "messages"`, Param: "connection_id",
			RetryWith:            "connection_id",
			AvailableConnections: json.RawMessage(candidates),
		}
	}
	_, err := refusal.Explained(definition).Run(t.Context(), tool.Env{},
		json.RawMessage(`{"stream":"messages","limit":5}`))
	result := tool.Failed(err)
	const want = `{"type":"adapter_error","code":"ambiguous_connection","message":"2 connections have stream ` +
		`\"messages\"","param":"connection_id","next":[` +
		`{"tool":"query_records","arguments":{"stream":"messages","limit":5,"connection_id":"cin_gmail_personal"},` +
		`"label":"Personal Gmail"},` +
		`{"tool":"query_records","arguments":{"stream":"messages","limit":5,"connection_id":"cin_gmail_work"},` +
		`"label":"Work Gmail"}],` +
		`"retry_with":"connection_id","available_connections":` + candidates + `}`
	if result.Text != want {
		t.Errorf("text\n got %s\nwant %s", result.Text, want)
	}
	if got := string(result.Structured); got != `{"error":`+want+`}` {
		t.Errorf("structured output\n got %s", got)
	}
}

func query(name string) tool.Definition {
	tools := gen.Surface().Tools
	return tools[slices.IndexFunc(tools, func(d tool.Definition) bool { return d.Name == name })]
}

// R-ERR-7: the schema is not read after a successful call or a refusal that is not about a name.
func TestTheSchemaIsReadAfterRefusalsOnly(t *testing.T) {
	for status, code := range map[int]string{
		429: "rate_limit_exceeded", 403: "grant_revoked", 410: "cursor_expired",
		500: "api_error",
	} {
		p := &provider{status: status, body: fmt.Sprintf(invalid, code, "no"), schema: []byte(`{"connectors":[]}`)}
		refused(t, p, "query_records", `{"stream":"messages"}`)
		if slices.Contains(p.seen, "/v1/schema") {
			t.Errorf("%s: read %s", code, p.seen)
		}
	}
	p := &provider{schema: []byte(`{"connectors":[]}`)}
	for _, arguments := range []string{
		`{"streem":"messages"}`, `{"stream":"a/b"}`,
		`{"stream":"messages","filter":"{\"a\":1}"}`, `{"stream":"messages","limit":1000}`,
	} {
		result := refused(t, p, "query_records", arguments)
		if len(p.seen) > 0 || !strings.Contains(result.Text, `"next":[{"tool":"query_records"`) {
			t.Errorf("%s: read %s, %s", arguments, p.seen, result.Text)
		}
	}
}

// R-ERR-7: a corrected call means what the refused one meant.
func TestTheCorrectedCallMeansTheSame(t *testing.T) {
	schema := `{"streams":[{"name":"messages","field_capabilities":{"subject_line":"eq","sent":"eq"},` +
		`"views":[{"id":"envelope"},{"id":"all"}],"granted_connections":[{"connection_id":"cin_1","display_name":"Work"}]},` +
		`{"name":"labels","granted_connections":[{"connection_id":"cin_1","display_name":"Work"}]}]}`
	for name, test := range map[string]struct {
		tool, arguments, body, want string
	}{
		"a name within another one of a list": {
			"query_records", `{"stream":"messages","fields":"subject_line,subject"}`, fmt.Sprintf(unknownField, "subject"),
			`{"stream":"messages","fields":"subject_line,subject_line"}`,
		},
		"a view": {
			"query_records", `{"stream":"messages","view":"envelop"}`,
			fmt.Sprintf(invalid, "invalid_request", "Unknown view: envelop"),
			`{"stream":"messages","view":"envelope"}`,
		},
		"a connection of several streams without a connector": {
			"search", `{"q":"x","connection_id":"Work"}`, fmt.Sprintf(failedClosed, "instance_mismatch"),
			`{"q":"x","connection_id":"cin_1"}`,
		},
		"R-HAND-9: a record id with a slash": {
			"read_record_field", `{"stream":"messages","record_id":"owner/repo","connection_id":"cin_1","field_path":"subject"}`, "",
			`{"field_path":"subject","id":"pdpp://record/cin_1%2Fmessages:owner%2Frepo"}`,
		},
		"R-HAND-9: a handle with a slash in the record id": {
			"fetch", `{"id":"messages:owner/repo"}`, "", `{"id":"pdpp://record/messages:owner%2Frepo"}`,
		},
		"a stream that no self-contained id can hold": {
			"fetch", `{"stream":"mess:ages","record_id":"m1"}`, "",
			`{"id":"pdpp://record/eyJ2IjoxLCJraW5kIjoicmVjb3JkIiwic3RyZWFtIjoibWVzczphZ2VzIiwicmVjb3JkX2lkIjoibTEifQ"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			result := refused(t, &provider{status: 400, body: test.body, schema: []byte(schema)}, test.tool, test.arguments)
			if want := fmt.Sprintf(`"next":[{"tool":%q,"arguments":%s}]`, test.tool,
				test.want); !strings.Contains(result.Text, want) {
				t.Errorf("got %s, want %s", result.Text, want)
			}
		})
	}
}
