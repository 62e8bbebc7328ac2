package render_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// library is a resource server with every record. Each record has one text, and any window of it can be read.
type library struct{ asked []string }

const libraryText = "An overdraft of twenty."

func (l *library) ProviderURL() string { return provider }

func (l *library) Get(_ context.Context, request rs.Request) (*rs.Response, error) {
	l.asked = append(l.asked, string(request.Path)+"?"+request.Query.Encoded())
	body := `{"object":"record","id":"x","data":{"body":"` + libraryText + `"},"emitted_at":"2026-01-01T00:00:00Z"}`
	if strings.HasSuffix(string(request.Path), "/field-window") {
		body = `{"object":"field_window","field":{"path":"body","type":"string"},"window":{"text":"` + libraryText +
			`","start_chars":0,"end_chars":23,"complete":false,"has_more":true,"next_offset_chars":23,` +
			`"previous_offset_chars":0}}`
	}
	return rs.Response{
		Status: 200, RequestID: "req_1", URL: provider + string(request.Path),
		Request: request,
	}.WithBody([]byte(body))
}

// onlyText returns the text of a result that has no other content.
func onlyText(t fataler, result *mcp.CallToolResult) string {
	if len(result.Content) != 1 || result.IsError {
		t.Fatal("content", result.Content, "error", result.IsError)
	}
	content, ok := result.Content[0].(*mcp.TextContent)
	if !ok {
		t.Fatal("content is no text")
	}
	return content.Text
}

// R-FETCH-6, R-WIN-3, R-RES-1: fetch and read_record_field answer in text, without a resource link or a URI. Reading
// the same selector as a resource sends the same request and has the same result.
func TestToolsAndResourcesAgree(t *testing.T) {
	books := &library{}
	session := sessionOver(t, books)
	rapid.Check(t, func(check *rapid.T) {
		handle := anyHandle.Draw(check, "handle")
		offset := rapid.SampledFrom([]*int64{nil, pointer(int64(0)), pointer(int64(7))}).Draw(check, "offset")
		window := rawjson.Object{rawjson.String("id", handle.String()), rawjson.String("field_path", "body")}
		selector := recordid.FieldWindow{FieldPath: "body", OffsetChars: offset}
		switch {
		case offset != nil:
			window = append(window, rawjson.Int("offset_chars", *offset))
		case rapid.Bool().Draw(check, "searched"):
			window = append(window, rawjson.String("q", "overdraft"), rawjson.Int("before_chars", 3),
				rawjson.Int("after_chars", 8))
			selector.Q, selector.BeforeChars, selector.AfterChars = pointer("overdraft"), pointer(int64(3)), pointer(int64(8))
		}
		for _, pair := range []struct {
			tool      string
			arguments rawjson.Object
			uri       recordid.URI
		}{
			{"fetch", window[:1], recordid.URI{Kind: recordid.KindRecord, Record: handle}},
			{"read_record_field", window, recordid.URI{Kind: recordid.KindFieldWindow, Record: handle, Window: selector}},
		} {
			books.asked = nil
			called, err := session.CallTool(t.Context(),
				&mcp.CallToolParams{Name: pair.tool, Arguments: pair.arguments.Encode()})
			if err != nil {
				check.Fatal(err)
			}
			text := onlyText(check, called)
			structured, err := json.Marshal(called.StructuredContent)
			if err != nil {
				check.Fatal(err)
			}
			if strings.Contains(text+string(structured), "pdpp://") {
				check.Fatalf("%s shows a resource URI:\n%s\n%s", pair.tool, text, structured)
			}
			if !strings.Contains(text, libraryText) || !strings.Contains(string(structured), libraryText) {
				check.Fatalf("%s: a channel lacks the text:\n%s\n%s", pair.tool, text, structured)
			}
			read, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: recordid.FormatURI(pair.uri)})
			if err != nil {
				check.Fatal(err)
			}
			if diff := cmp.Diff(unmarked(text), unmarked(read.Contents[0].Text)); diff != "" {
				check.Fatalf("%s and the resource differ (-tool +resource):\n%s", pair.tool, diff)
			}
			half := len(books.asked) / 2
			if half == 0 || !slices.Equal(books.asked[:half], books.asked[half:]) {
				check.Fatalf("the resource server saw %q", books.asked)
			}
		}
	})
}
