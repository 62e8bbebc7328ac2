package host_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

func pointer[T any](value T) *T { return &value }

// Covers R-RES-1: a read returns the tool's result for the same selector.
func TestReadResource(t *testing.T) {
	mail := recordid.Handle{ConnectionID: "cin_1", Stream: "messages", RecordID: "m1"}
	compound := recordid.Handle{Stream: "daily", RecordID: `["user \"1\"","2026-04-01"]`}
	unformattable := recordid.Handle{ConnectionID: "cin:1", Stream: "messages", RecordID: "m1"}
	unformattableURI := recordid.FormatURI(recordid.URI{Kind: recordid.KindRecord, Record: unformattable})
	tests := []struct {
		name string
		uri  string
		want string // the tool and its arguments
	}{
		{"stream", "pdpp://stream/messages", `schema {"stream":"messages"}`},
		{"stream with a space", "pdpp://stream/my%20messages", `schema {"stream":"my messages"}`},
		{"stream with a character that no template matches", "pdpp://stream/a:b", `schema {"stream":"a:b"}`},
		{
			"record", recordid.FormatURI(recordid.URI{Kind: recordid.KindRecord, Record: mail}),
			`fetch {"id":"cin_1/messages:m1"}`,
		},
		{"record by percent-encoded id", "pdpp://record/cin_1%2Fmessages%3Am1", `fetch {"id":"cin_1/messages:m1"}`},
		{"record by a half-encoded id", "pdpp://record/messages:m1", `fetch {"id":"messages:m1"}`},
		{
			"compound key", recordid.FormatURI(recordid.URI{Kind: recordid.KindRecord, Record: compound}),
			`fetch {"id":"daily:[\"user \\\"1\\\"\",\"2026-04-01\"]"}`,
		},
		{"record that no id can name", unformattableURI, `fetch {"id":"` + unformattableURI + `"}`},
		{
			"field window",
			recordid.FormatURI(recordid.URI{Kind: recordid.KindFieldWindow, Record: mail, Window: recordid.FieldWindow{
				FieldPath: "body", OffsetChars: pointer(int64(0)), LimitChars: pointer(int64(4096)),
			}}),
			`read_record_field {"id":"cin_1/messages:m1","field_path":"body","offset_chars":0,"limit_chars":4096}`,
		},
		{
			"field window around a match",
			recordid.FormatURI(recordid.URI{Kind: recordid.KindFieldWindow, Record: mail, Window: recordid.FieldWindow{
				FieldPath: "body", Q: pointer("x"), BeforeChars: pointer(int64(1)), AfterChars: pointer(int64(2)),
			}}),
			`read_record_field {"id":"cin_1/messages:m1","field_path":"body","q":"x","before_chars":1,"after_chars":2}`,
		},
	}
	session := connect(t, testSurface(), host.Options{}, reading(reporting(clientSchema)))
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			result, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: test.uri})
			if err != nil {
				t.Fatal(err)
			}
			if len(result.Contents) != 1 {
				t.Fatalf("%d contents, want 1", len(result.Contents))
			}
			content := result.Contents[0]
			if content.Text != test.want || content.URI != test.uri || content.MIMEType != "text/plain" {
				t.Errorf("content is %+v, want text %s under the URI that was asked", content, test.want)
			}
			if result.CacheScope != "private" || result.TTLMs != 0 {
				t.Errorf("cacheable as %q for %d ms, want private and not at all", result.CacheScope, result.TTLMs)
			}
		})
	}
}

// Covers R-RES-1 and R-HAND-5: a malformed URI is a typed error, and the RS sees nothing.
func TestMalformedResourceURI(t *testing.T) {
	reader := reporting(clientSchema)
	session := connect(t, testSurface(), host.Options{}, reading(reader))
	for _, uri := range []string{
		"pdpp://stream/", "pdpp://stream/a/b", "pdpp://stream/..", "pdpp://stream/%2e%2e", "pdpp://stream/a%2Fb",
		"pdpp://record/", "pdpp://record/!!!", "pdpp://record/e30", "pdpp://record/cin_1/messages:m1", "pdpp://record/%zz",
		"pdpp://field-window/messages:m1", "pdpp://blob/x", "file:///etc/passwd", "https://pdpp.example/",
	} {
		_, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		data := wantRPCError(t, err, jsonrpc.CodeInvalidParams)
		if data.Error.Type != "adapter_error" || data.Error.Code != "invalid_resource_uri" || data.Error.Param != "uri" ||
			data.URI != uri {
			t.Errorf("%s: data is %+v, want an invalid_resource_uri error that names it", uri, data)
		}
	}
	if seen := reader.seen(); len(seen) > 0 {
		t.Errorf("the RS saw %v, want nothing", seen)
	}
}

// Covers R-RES-1 and R-ERR-1: a refusal of the RS keeps its envelope.
func TestReadResourceKeepsFailure(t *testing.T) {
	surface := testSurface()
	surface.Tools[1] = failing("fetch", &rs.Error{
		Status: 404, Type: "not_found_error", Code: "not_found", Message: "no such record",
		Envelope: json.RawMessage(
			`{"type":"not_found_error","code":"not_found","message":"no such record","request_id":"req_1"}`),
	})
	session := connect(t, surface, host.Options{}, reading(reporting(clientSchema)))
	_, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "pdpp://record/messages%3Am1"})
	data := wantRPCError(t, err, jsonrpc.CodeInvalidParams)
	if data.Error.Code != "not_found" || data.Error.Message != "no such record" || data.HTTPStatus != 404 ||
		data.URI != "pdpp://record/messages%3Am1" {
		t.Errorf("data is %+v, want the envelope of the RS, and the URI as it was asked for", data)
	}
	surface.Tools[1] = failing("fetch", &tool.Error{Code: tool.InvalidFieldWindowSelector, Message: "two selectors"})
	session = connect(t, surface, host.Options{}, reading(reporting(clientSchema)))
	_, err = session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "pdpp://record/messages%3Am1"})
	if data := wantRPCError(t, err, jsonrpc.CodeInvalidParams); data.Error.Code != "invalid_field_window_selector" {
		t.Errorf("data is %+v, want the selector refused as invalid params", data)
	}
	surface.Tools[1] = failing("fetch", errPlain)
	session = connect(t, surface, host.Options{}, reading(reporting(clientSchema)))
	_, err = session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "pdpp://record/messages%3Am1"})
	if data := wantRPCError(t, err, jsonrpc.CodeInternalError); data.Error.Code != "internal" {
		t.Errorf("data is %+v, want an internal error", data)
	}
}

type errorData struct {
	URI   string `json:"uri"`
	Error struct {
		Type    string `json:"type"`
		Code    string `json:"code"`
		Message string `json:"message"`
		Param   string `json:"param"`
	} `json:"error"`
	HTTPStatus int `json:"http_status"`
}

func wantRPCError(t *testing.T, err error, code int64) errorData {
	t.Helper()
	var failure *jsonrpc.Error
	if !errors.As(err, &failure) {
		t.Fatalf("error is %v, want a JSON-RPC error", err)
	}
	if failure.Code != code || failure.Message == "" || strings.Contains(failure.Message, bearer) {
		t.Errorf("error is %d %q, want code %d and a message", failure.Code, failure.Message, code)
	}
	var data errorData
	if err := json.Unmarshal(failure.Data, &data); err != nil {
		t.Fatalf("data is %s: %v", failure.Data, err)
	}
	return data
}

func TestResourceTemplates(t *testing.T) {
	session := connect(t, testSurface(), host.Options{}, reading(reporting(clientSchema)))
	listed, err := session.ListResourceTemplates(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var uris []string
	for _, listedTemplate := range listed.ResourceTemplates {
		uris = append(uris, listedTemplate.URITemplate)
	}
	if got, want := strings.Join(uris,
		" "), "pdpp://field-window/{handle} pdpp://record/{handle} pdpp://stream/{name}"; got != want {
		t.Errorf("templates are %s, want %s", got, want)
	}
	if listed.CacheScope != "public" {
		t.Errorf("the list is cacheable as %q, want public", listed.CacheScope)
	}
}
