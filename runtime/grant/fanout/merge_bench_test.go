package fanout_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/fanout"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// canned returns the same answer for every request.
type canned struct{ response rs.Response }

func (c *canned) ProviderURL() string { return provider }

func (c *canned) Get(context.Context, rs.Request) (*rs.Response, error) { return &c.response, nil }

// BenchmarkMerge merges three answers of 100 hits.
func BenchmarkMerge(b *testing.B) {
	var sources []fanout.Source
	size := 0
	for s := range 3 {
		var rows []string
		for i := range 100 {
			rows = append(rows,
				fmt.Sprintf(`{"object":"search_result","stream":"messages","record_key":"%d-%d","connector_id":"gmail",`+
					`"display_name":"Mail",`+
					`"emitted_at":"2026-05-01T00:00:00Z","matched_fields":["subject","snippet"],"snippet":{"field":"subject","text":%q},`+
					`"evidence_excerpts":[{"field_path":"subject","preview_text":%q,"provenance":"lexical_match","truncated":true}],`+
					`"score":{"kind":"bm25","value":-3.5}}`,
					s, i, strings.Repeat("words ", 20), strings.Repeat("words ", 40)))
		}
		body := `{"object":"list","has_more":true,"next_cursor":"c","data":[` + strings.Join(rows, ",") +
			`],"meta":{"count":500,"count_accuracy":"exact"}}`
		size += len(body)
		source := member(&fakeRS{name: fmt.Sprint(s)}, "messages")
		response, err := rs.Response{Status: 200}.WithBody([]byte(body))
		if err != nil {
			b.Fatal(err)
		}
		source.Reader = &canned{*response}
		sources = append(sources, source)
	}
	reader := newReader(sources...)
	request := searchFor(100, "")
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		found, err := reader.Search(context.Background(), request)
		if err != nil {
			b.Fatal(err)
		}
		found.Hits(context.Background(), 100)
	}
}
