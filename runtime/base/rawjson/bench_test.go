package rawjson_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
)

// page returns a page of 100 records with texts of a number of bytes.
func page(bytes int) []byte {
	rows := make([]string, 100)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"object":"record","id":"r%04d","stream":"notes","connection_id":"cin_1","data":{"n":%d,`+
			`"labels":["a","b"],`+
			`"from":{"name":"A \"B\"","address":"a@example.com"},"body":%q},"emitted_at":"2026-01-01T00:00:00Z"}`, i, i,
			strings.Repeat("word ", bytes/5))
	}
	return []byte(`{"object":"list","has_more":false,"data":[` + strings.Join(rows, ",") + `]}`)
}

func BenchmarkCheck(b *testing.B) {
	for _, size := range []int{20, 400, 4000} {
		document := page(size)
		b.Run(fmt.Sprintf("%dB", size), func(b *testing.B) {
			b.SetBytes(int64(len(document)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := rawjson.Unambiguous(b.Context(), document, 100); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	for _, size := range []int{20, 400, 4000} {
		document := page(size)
		b.Run(fmt.Sprintf("%dB", size), func(b *testing.B) {
			b.SetBytes(int64(len(document)))
			b.ReportAllocs()
			for b.Loop() {
				envelope, _ := rawjson.ParseObject(document)
				rows, _ := rawjson.Elements(envelope.Get("data"))
				for _, row := range rows {
					if record, _ := rawjson.ParseObject(row); record.Text("id") == "" {
						b.Fatalf("no id in %s", row)
					}
				}
			}
		})
	}
}

func BenchmarkQuote(b *testing.B) {
	for _, size := range []int{20, 400, 4000} {
		text := string(page(size))
		b.Run(fmt.Sprintf("%dB", size), func(b *testing.B) {
			var out []byte
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				out = rawjson.AppendQuote(out[:0], text)
			}
		})
	}
}
