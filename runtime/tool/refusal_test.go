package tool_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const bearer = "tok_3fKq9-aBcD-7xYz"

// failed returns what a model sees of a refused read.
func failed(t *testing.T, answer http.HandlerFunc) shownFailure {
	t.Helper()
	server := httptest.NewServer(answer)
	defer server.Close()
	client, err := rs.NewClient(rs.Options{BaseURL: server.URL, Bearer: rs.NewSecret(bearer), MaxBody: 64 << 10})
	if err != nil {
		t.Fatal(err)
	}
	var query rs.Query
	query.Set("connection_id", "cin_1")
	_, err = client.Get(t.Context(), rs.Request{Path: rs.JoinPath("v1", "streams", "my notes", "records"), Query: query})
	if err == nil {
		t.Fatal("the answer was taken")
	}
	result := tool.Failed(err)
	var shown shownFailure
	if err := json.Unmarshal(result.Structured, &shown); err != nil {
		t.Fatal(err)
	}
	if !result.IsError || result.Text != string(shown.Object) {
		t.Errorf("text\n%s\nis not the error object\n%s", result.Text, shown.Object)
	}
	if err := json.Unmarshal(shown.Object, &shown.Error); err != nil {
		t.Fatal(err)
	}
	for _, channel := range []string{result.Text, string(result.Structured)} {
		if strings.Contains(channel, bearer) {
			t.Errorf("shows the bearer: %s", channel)
		}
	}
	if len(result.Text) > textBytes {
		t.Errorf("text of %d bytes", len(result.Text))
	}
	return shown
}

// shownFailure is structured output of a failed call. Error is Object, decoded.
type shownFailure struct {
	Object      json.RawMessage `json:"error"`
	HTTPStatus  int             `json:"http_status"`
	RequestID   string          `json:"request_id"`
	ProviderURL string          `json:"provider_url"`
	Error       struct {
		Type, Code, Message, Hint string
		Next                      []json.RawMessage
	} `json:"-"`
}

// refusing answers with a status and a body. Every answer repeats the bearer, like a careless server.
func refusing(status int, body string) http.HandlerFunc {
	return func(writer http.ResponseWriter, request *http.Request) {
		writer.Header().Set("Request-Id", "req_1")
		writer.Header().Set("X-Echo", request.Header.Get("Authorization"))
		writer.WriteHeader(status)
		_, _ = io.WriteString(writer, strings.ReplaceAll(body, "BEARER", bearer))
	}
}

// schemaOfStream and schemaOfAll are calls that show the accepted names.
const (
	schemaOfStream = `{"tool":"schema","arguments":{"stream":"my notes","connection_id":"cin_1"}}`
	schemaOfAll    = `{"tool":"schema","arguments":{}}`
)

// codes are codes of resource servers with their status and the advice for a model.
var codes = []struct {
	status int
	code   string
	hint   string // a part of it
	next   string // empty: none
}{
	{400, "invalid_request", "what the message names", schemaOfStream},
	{400, "invalid_cursor", "without cursor", ""},
	{400, "invalid_expand", "expand_capabilities", schemaOfStream},
	{400, "invalid_sort", "Sort only", schemaOfStream},
	{400, "unknown_field", "field names", schemaOfStream},
	{400, "invalid_field_path", "text field", schemaOfStream},
	{400, "invalid_window", "1 to 16384", ""},
	{400, "invalid_argument", "what the message names", schemaOfStream},
	{400, "unsupported_version", "operator", ""},
	{400, "unsupported_query", "what the message names", schemaOfStream},
	{401, "authentication_error", "approve access again", ""},
	{401, "context.active_false", "approve access again", ""},
	{401, "context.stream_not_allowed", "stream of that name", schemaOfAll},
	{401, "context.instance_mismatch", "connection with that id", schemaOfAll},
	{403, "permission_error", "broader grant", ""},
	{403, "grant_revoked", "approve access again", ""},
	{403, "grant_expired", "approve access again", ""},
	{403, "grant_invalid", "cannot use this grant", ""},
	{403, "grant_time_range_exceeded", "stays within it", ""},
	{403, "authorization_state.unsupported_legacy_shape", "approve access again", ""},
	{403, "grant_stream_not_allowed", "a stream from schema", schemaOfAll},
	{403, "field_not_granted", "the granted fields", schemaOfStream},
	{403, "insufficient_scope", "broader grant", ""},
	{403, "needs_broader_grant", "broader grant", schemaOfAll},
	{403, "package_revoked", "approve access again", ""},
	{404, "not_found", "outside the grant", ""},
	{404, "connection_not_found", "from schema", schemaOfAll},
	{404, "blob_not_found", "outside the grant", ""},
	{404, "query_not_found", "shorter q", ""},
	{409, "ambiguous_connection", "one of available_connections", ""},
	{409, "ambiguous_schema_detail", "one of available_connections", ""},
	{410, "cursor_expired", "without changes_since", ""},
	{413, "request_too_large", "smaller limit", ""},
	{422, "field_not_text", "fetch", ""},
	{429, "rate_limit_exceeded", "retry_after", ""},
	{500, "api_error", "later", ""},
	{503, "source_unavailable", "retry_after", ""},
	{418, "a_code_of_tomorrow", "what the message names", schemaOfStream},
}

// originOfTest is the origin of a server of httptest.
var originOfTest = regexp.MustCompile(`^http://127\.0\.0\.1:\d+$`)

// R-ERR-1, R-ERR-8: every code keeps its envelope, in both channels, with what to do about it.
func TestEveryCode(t *testing.T) {
	for _, test := range codes {
		t.Run(test.code, func(t *testing.T) {
			envelope := fmt.Sprintf(`{"type":"t","code":%q,"message":"No, BEARER.","param":"p","request_id":"req_2",`+
				`"extra":[1.10]`, test.code)
			shown := failed(t, refusing(test.status, `{"error":`+envelope+`}}`))
			want := strings.ReplaceAll(envelope, "BEARER", "[redacted]") + `,"hint":`
			if !strings.HasPrefix(string(shown.Object), want) {
				t.Errorf("the envelope became %s", shown.Object)
			}
			if shown.HTTPStatus != test.status || shown.RequestID != "req_1" || !originOfTest.MatchString(shown.ProviderURL) {
				t.Errorf("the members next to it are %d, %s, %s", shown.HTTPStatus, shown.RequestID, shown.ProviderURL)
			}
			if !strings.Contains(shown.Error.Hint, test.hint) {
				t.Errorf("hint %q does not say %q", shown.Error.Hint, test.hint)
			}
			if next := fmt.Sprintf("%s", shown.Error.Next); next != "["+test.next+"]" {
				t.Errorf("next is %s, want [%s]", next, test.next)
			}
		})
	}
}

// R-ERR-1: a model can distinguish refusals by type, code and advice.
func TestRefusalsAreDistinct(t *testing.T) {
	seen := map[string]string{}
	for _, kind := range []struct {
		status int
		code   string
	}{
		{401, "authentication_error"},
		{403, "permission_error"},
		{400, "invalid_cursor"},
		{410, "cursor_expired"},
		{400, "invalid_request"},
		{403, "needs_broader_grant"},
	} {
		shown := failed(t, refusing(kind.status, fmt.Sprintf(`{"error":{"code":%q,"message":"No."}}`, kind.code)))
		key := shown.Error.Code + " " + shown.Error.Hint + fmt.Sprintf("%s", shown.Error.Next)
		if other, known := seen[key]; known || shown.Error.Type == "" {
			t.Errorf("%s looks like %s: %s", kind.code, other, shown.Object)
		}
		seen[key] = kind.code
	}
}

// R-ERR-5: retry_with and the candidates determine the advice for any code.
func TestRetryWith(t *testing.T) {
	body := `{"error":{"code":"invalid_argument","message":"Several.","param":"changes_since",` +
		`"retry_with":"connection_id",` +
		`"available_connections":[{"grant_id":"grt_1","connector_key":"gmail","connection_id":"cin_1",` +
		`"display_name":"Personal"}]}}`
	shown := failed(t, refusing(400, body))
	if !strings.Contains(shown.Error.Hint, "one of available_connections") || shown.Error.Next != nil {
		t.Errorf("hint %q, next %s", shown.Error.Hint, shown.Error.Next)
	}
	if !strings.Contains(string(shown.Object),
		`[{"grant_id":"grt_1","connector_key":"gmail","connection_id":"cin_1","display_name":"Personal"}]`) {
		t.Errorf("candidates: %s", shown.Object)
	}
	shown = failed(t, refusing(409, `{"error":{"code":"ambiguous_connection","retry_with":"connection_id"}}`))
	if !strings.Contains(shown.Error.Hint, "from schema") || len(shown.Error.Next) != 1 {
		t.Errorf("without candidates: hint %q, next %s", shown.Error.Hint, shown.Error.Next)
	}
}

// R-ERR-1, R-ERR-4: answers without the PDPP envelope.
func TestForeignEnvelopes(t *testing.T) {
	long := strings.Repeat("x", 70_000)
	for name, test := range map[string]struct {
		answer        http.HandlerFunc
		status        int
		code, message string // message: a part of it
	}{
		"OAuth": {
			refusing(400, `{"error":"invalid_grant","error_description":"Expired, BEARER."}`), 400,
			"invalid_grant", "Expired, [redacted].",
		},
		"framework": {
			refusing(404, `{"message":"Route GET:/v1/nope not found","error":"Not Found","statusCode":404}`), 404,
			"not_found", "Route GET",
		},
		"framework with a code": {
			refusing(500, `{"statusCode":500,"code":"invalid_argument","error":"Internal Server Error","message":"Both ids."}`),
			500, "invalid_argument", "Both ids.",
		},
		"an error string": {refusing(503, `{"error":"Down for maintenance"}`), 503, "api_error", "503"},
		"HTML":            {refusing(502, `<!doctype html><title>Bad gateway</title>`), 502, "api_error", "502"},
		"no body":         {refusing(401, ``), 401, "authentication_error", "401"},
		"truncated JSON":  {refusing(403, `{"error":{"code":"grant_rev`), 403, "permission_error", "403"},
		"wrong types": {
			refusing(400, `{"error":{"message":{"a":1},"param":7,"retry_with":["x"],"available_connections":"y"}}`), 400,
			"invalid_request", "400",
		},
		"an array":  {refusing(400, `[1]`), 400, "invalid_request", "400"},
		"not UTF-8": {refusing(400, "{\"error\":{\"code\":\"\xff\"}}"), 400, "invalid_request", "400"},
		"oversized error": {
			refusing(400, `{"error":{"code":"invalid_sort","message":"`+long[:60_000]+`"}}`), 400,
			"invalid_sort", "of 60000 bytes shown",
		},
		"oversized": {
			refusing(400, `{"error":{"message":"`+long+`"}}`), 400,
			"rs_response_too_large", "larger than",
		},
		"HTML for success":  {refusing(200, `<!doctype html>`), 200, "rs_invalid_response", "not JSON"},
		"truncated success": {refusing(200, `{"data":[`), 200, "rs_invalid_response", "not JSON"},
		"array for success": {refusing(200, `[]`), 200, "rs_invalid_response", "not an object"},
		"oversized success": {refusing(200, `{"data":"`+long+`"}`), 200, "rs_response_too_large", "larger than"},
		"redirect": {func(writer http.ResponseWriter, request *http.Request) {
			http.Redirect(writer, request, "https://elsewhere.example.com/?token="+bearer, http.StatusFound)
		}, 302, "rs_redirect", "not followed"},
	} {
		t.Run(name, func(t *testing.T) {
			shown := failed(t, test.answer)
			if shown.HTTPStatus != test.status {
				t.Errorf("status %d", shown.HTTPStatus)
			}
			if shown.Error.Code != test.code || !strings.Contains(shown.Error.Message, test.message) {
				t.Errorf("want code %s and a message with %q: %.300s", test.code, test.message, shown.Object)
			}
			if shown.Error.Type == "" {
				t.Errorf("no type: %.300s", shown.Object)
			}
			// The adapter's own messages end in the next step.
			if shown.Error.Type != "adapter_error" && shown.Error.Hint == "" {
				t.Errorf("no advice: %.300s", shown.Object)
			}
		})
	}
}
