package operation_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/operation"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// fullDocument returns a schema in the full view, which servers without the compact view send: connectors with a number
// of streams with a number of fields each. 20, 30 and 25 make about 8 MB.
func fullDocument(connectors, streams, fields int) string {
	unusable := `{"declared":false,"usable":false}`
	var document strings.Builder
	document.WriteString(`{"bearer":{"scope":"grant","token_kind":"client"},"connectors":[`)
	for c := range connectors {
		fmt.Fprintf(&document, `%s{"object":"connector","connector_key":"connector_%02d","stream_count":%d,"streams":[`,
			comma(c), c, streams)
		for s := range streams {
			fmt.Fprintf(&document, `%s{"field_capabilities":{`, comma(s))
			properties := strings.Builder{}
			for f := range fields {
				schema := fmt.Sprintf(`{"type":["string","null"],"description":%q}`, strings.Repeat("what it means ", 3))
				fmt.Fprintf(&document,
					`%s"field_%02d":{"aggregation":{"count_distinct":%s,"group_by":%s,"max":%s,"min":%s,"sum":%s},`+
						`"granted":true,"schema":%s,"exact_filter":{"declared":true,"usable":true}}`,
					comma(f), f, unusable, unusable, unusable, unusable, unusable, schema)
				fmt.Fprintf(&properties, `%s"field_%02d":%s`, comma(f), f, schema)
			}
			fmt.Fprintf(&document, `},"name":"stream_%02d_%02d","primary_key":["id"],"cursor_field":"field_01",`+
				`"schema":{"type":"object","properties":{%s}},`+
				`"granted_connections":[{"connection_id":"cin_%02d","display_name":"Connection %02d"}]}`, c, s,
				properties.String(), c, c)
		}
		document.WriteString(`]}`)
	}
	document.WriteString(`],"object":"schema","meta":{"count":{"kind":"none"},"warnings":[]}}`)
	return document.String()
}

func comma(at int) string {
	if at == 0 {
		return ""
	}
	return ","
}

// largeAnswer is a reader that checks the same bytes each time, as a client checks what it receives.
type largeAnswer json.RawMessage

func (a largeAnswer) Get(context.Context, rs.Request) (*rs.Response, error) {
	return rs.Response{Status: 200}.WithBody(a)
}

func (a largeAnswer) ProviderURL() string { return "https://rs.example.com" }

// R-SCH-2: the index of a large grant, read from the full view.
func BenchmarkSchemaIndex(b *testing.B) {
	benchmarkSchema(b, fullDocument(20, 30, 25), operation.SchemaInput{})
}

// R-SCH-1: one stream of the same document from a server that ignores the scope.
func BenchmarkSchemaStream(b *testing.B) {
	benchmarkSchema(b, fullDocument(20, 30, 25), operation.SchemaInput{Stream: pointer("stream_19_29")})
}

// R-BUD-2: documents that are made to cost time. None should cost much more than its reading.
func BenchmarkSchemaHostile(b *testing.B) {
	large := strings.Repeat("x", 8_000_000)
	one := streamBody(1, 1, 3, true, "", "", "a member")
	full := operation.SchemaInput{Stream: pointer("s"), Detail: pointer("full")}
	for name, test := range map[string]struct {
		body  string
		input operation.SchemaInput
	}{
		"key":    {body: strings.Replace(fullDocument(1, 1, 0), "connector_00", large+" ", 1)},
		"member": {strings.Replace(one, `"query":"`, `"new":"`+large+`","query":"`, 1), full},
		"schema": {strings.Replace(one, `"required":["`, `"required":["`+large, 1), full},
		"fields": {streamBody(1, 1, 8_000, true, "", "", large[:400]), full},
	} {
		b.Run(name, func(b *testing.B) { benchmarkSchema(b, test.body, test.input) })
	}
}

func benchmarkSchema(b *testing.B, body string, input operation.SchemaInput) {
	reader := largeAnswer(body)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := schemaResult(context.Background(), tool.Env{RS: reader}, input); err != nil {
			b.Fatal(err)
		}
	}
}
