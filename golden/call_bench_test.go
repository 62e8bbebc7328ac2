package golden_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/admission"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
)

// BenchmarkStdioCall is a whole call of query_records over stdio in one process, the resource server
// included: 25 records of 1 kB.
func BenchmarkStdioCall(b *testing.B) {
	for _, inFlight := range []int{1, 32} {
		b.Run(fmt.Sprintf("%d in flight", inFlight), func(b *testing.B) { benchmarkCalls(b, inFlight) })
	}
}

func benchmarkCalls(b *testing.B, inFlight int) {
	page := pageOf(25, 1000)
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/schema") {
			_, _ = io.WriteString(w, `{"object":"schema","bearer":{"token_kind":"client"},"connectors":[]}`)
			return
		}
		_, _ = io.WriteString(w, page)
	}))
	defer provider.Close()
	reader, err := rs.NewClient(rs.Options{BaseURL: provider.URL, Bearer: rs.NewSecret("scoped-bearer-of-a-test")})
	if err != nil {
		b.Fatal(err)
	}
	toServer, in := io.Pipe()
	out, fromServer := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		local := admission.New(b.Context(), reader, "", nil)
		ended <- host.ServeLocal(b.Context(), gen.Surface(), host.Options{Name: "pdpp-mcp", Version: "test"}, local,
			host.Streams{In: toServer, Out: fromServer})
	}()
	answers := bufio.NewReaderSize(out, 1<<20)
	send := func(line string) {
		if _, err := io.WriteString(in, line+"\n"); err != nil {
			b.Fatalf("%v, after the server ended with %v", err, <-ended)
		}
	}
	receive := func() {
		answer, err := answers.ReadSlice('\n')
		if err != nil || !strings.Contains(string(answer[:min(len(answer), 60)]), `"result"`) {
			b.Fatalf("%v: %.300s", err, answer)
		}
	}
	const call = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"query_records",` +
		`"arguments":{"stream":"messages","limit":25}}}`
	send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
		`"clientInfo":{"name":"b","version":"1"}}}`)
	receive()
	b.ReportAllocs()
	b.SetBytes(int64(len(page)))
	id := 1
	for range inFlight - 1 {
		id++
		send(fmt.Sprintf(call, id))
	}
	for b.Loop() {
		id++
		send(fmt.Sprintf(call, id))
		receive()
	}
	for range inFlight - 1 {
		receive()
	}
	if err := in.Close(); err != nil {
		b.Fatal(err)
	}
	if err := <-ended; err != nil {
		b.Fatal(err)
	}
}

// pageOf returns a page of records of about so many bytes each.
func pageOf(rows, size int) string {
	var page strings.Builder
	page.WriteString(`{"object":"list","has_more":true,"next_cursor":"c","data":[`)
	for i := range rows {
		if i > 0 {
			page.WriteByte(',')
		}
		fmt.Fprintf(&page,
			`{"object":"record","id":"m%03d","stream":"messages","connection_id":"cin_1","emitted_at":"2026-05-01T00:00:00Z",`+
				`"data":{"id":"m%03d","is_seen":false,"received_at":"2026-03-02T09:00:00.000Z","subject":"Note %d","body":%q}}`,
			i, i, i, strings.Repeat("the garden of a mountain, ", (size-240)/26))
	}
	page.WriteString(`],"meta":{"warnings":[]}}`)
	return page.String()
}
