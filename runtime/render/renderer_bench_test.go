package render_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/record"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/scan"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// BenchmarkRenderers renders one answer of each kind: a page of 25 records of 1 kB, 25 hits, and recorded answers of
// the other kinds.
func BenchmarkRenderers(b *testing.B) {
	target := recordid.Target{Stream: "messages", RecordID: "m1"}
	env := tool.Env{RS: &silent{}}
	for _, each := range []struct {
		name     string
		response *rs.Response
		render   func(*rs.Response) (*tool.Result, error)
	}{
		{
			"records", responded("/v1/streams/messages/records?limit=25", kilobyteRecords(25)),
			func(response *rs.Response) (*tool.Result, error) {
				return runRecords(b.Context(), env, response, scan.RowsInput{Stream: "messages"})
			},
		},
		{"search", responded("/v1/search?q=overdraft", usualHits(25)), func(response *rs.Response) (*tool.Result, error) {
			return runSearch(b.Context(), env, response, scan.HitsInput{})
		}},
		{"document", recorded(b, "document/detail"), func(response *rs.Response) (*tool.Result, error) {
			return readDocument(b.Context(), env, response, record.DocumentInput{Target: target})
		}},
		{"aggregate", recorded(b, "aggregate/group_by"), func(response *rs.Response) (*tool.Result, error) {
			return runAggregate(b.Context(), env, response, scan.GroupsInput{Stream: "messages"})
		}},
		{"field_window", recorded(b, "fieldwindow/first"), func(response *rs.Response) (*tool.Result, error) {
			return readWindow(b.Context(), env, response, record.FieldWindowInput{Target: target, FieldPath: "body_text"})
		}},
	} {
		b.Run(each.name, func(b *testing.B) {
			b.SetBytes(int64(len(each.response.Body())))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := each.render(each.response); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func recorded(b *testing.B, name string) *rs.Response {
	b.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		b.Fatal(err)
	}
	return responded("/v1/recorded", string(body))
}

// kilobyteRecords returns a page of records of about 1 kB each.
func kilobyteRecords(count int) string {
	rows := make([]string, count)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"data":{"id":"m%[1]d","from_name":"Grace Hopper","is_seen":false,"labels":["INBOX"],`+
			`"received_at":"2026-03-02T09:00:00.000Z",`+
			`"size_bytes":1600,"subject":"Note number %[1]d","snippet":%[2]q},"emitted_at":"2026-05-01T00:00:00Z",`+
			`"id":"m%[1]d","object":"record",`+
			`"stream":"messages","connection_id":"cin_1","display_name":"Personal Gmail"}`, i,
			strings.Repeat("garden of a mountain ", 33))
	}
	return `{"data":[` + strings.Join(rows, ",") +
		`],"has_more":true,"next_cursor":"c","object":"list","meta":{"warnings":[]}}`
}

// usualHits returns a page of hits with a match window each.
func usualHits(count int) string {
	rows := make([]string, count)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"connector_id":"gmail","emitted_at":"2026-05-01T00:00:00Z","matched_fields":["subject"],`+
			`"object":"search_result","record_key":"m%[1]d",`+
			`"record_url":"/v1/streams/messages/records/m%[1]d","stream":"messages","connection_id":"cin_1",`+
			`"display_name":"Personal Gmail",`+
			`"snippet":{"field":"subject","text":"<mark>Overdraft</mark> notice number %[1]d"},`+
			`"evidence_excerpts":[{"field_path":"subject",`+
			`"preview_text":"<mark>Overdraft</mark> notice number %[1]d","provenance":"lexical_match","truncated":true}],`+
			`"score":{"kind":"bm25","value":-3.5}}`, i)
	}
	return `{"data":[` + strings.Join(rows, ",") + `],"has_more":false,"object":"list","meta":{"warnings":[]}}`
}
