package shapes_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// attack is a call that is expensive for its input or for what a provider answers.
type attack struct {
	name, tool, arguments string
	provider              *provider
	requests              int64 // the most of one call
	memory                int64
	want                  string // in the text of the answer, or in the error
}

const (
	fileCall  = `{"id":"cin_1/attachments:a1","field_path":"file"}`
	inOneYear = `"filter":{"time":{"gte":"2025-01-01","lt":"2027-01-01"}}`
)

func attacks() []attack {
	var pages atomic.Int64
	fresh := func(string) string { return fmt.Sprint("c", pages.Add(1)) }
	repeated := map[string]string{"": "a", "a": "b", "b": "a"}
	again := func(sent string) string { return repeated[sent] }
	forged := base64.RawURLEncoding.EncodeToString([]byte(`{"v":1,"q":"",` + many(9_000)[1:]))
	large, larger := &provider{streams: 16, rows: 8, size: 300_000}, &provider{streams: 16, rows: 8, size: 500_000}
	const megabyte = 1 << 20
	return []attack{
		{
			"a cursor of 234,000 characters", "query_records", `{"stream":"*","cursor":"timeline.` + forged + `"}`,
			&provider{streams: 3, rows: 10}, 0, 8 * megabyte, "longer than 8192 characters",
		},
		{
			"rows of 300 kB", "query_records", `{"stream":"*","limit":75}`, large, 150, 160 * megabyte,
			"rows=75 has_more=true",
		},
		{
			"counted rows of 300 kB", "aggregate", `{"stream":"*","metric":"count",` + inOneYear + `}`, large, rs.MaxRequests,
			160 * megabyte, "value=128",
		},
		{
			"empty pages", "query_records", `{"stream":"s00000","filter":{"kind":"b"}}`, &provider{streams: 1, next: fresh},
			rs.MaxRequests, 16 * megabyte, "complete=false",
		},
		{
			"repeated cursors", "query_records", `{"stream":"s00000","filter":{"kind":"b"}}`, &provider{streams: 1, next: again},
			12, 8 * megabyte, "same cursor again",
		},
		{
			"changes of 9,000 sources", "query_records", `{"stream":"*","changes_since":"beginning"}`, &provider{streams: 9_000},
			rs.MaxRequests, 64 * megabyte, "are left out",
		},
		{
			"records of 9,000 sources", "query_records", `{"stream":"*"}`, &provider{streams: 9_000}, rs.MaxRequests,
			64 * megabyte, "are left out",
		},
		{"a PDF of 11.6 MB", "read_record_field", fileCall, &provider{file: largePDF()}, 3, 4 * 11_600_000, "page 1 of 1"},
		{
			"a workbook of 200,000 relations", "read_record_field", fileCall, &provider{file: related(200_000)}, 3,
			32 * megabyte, "xlsx",
		},
		{
			"400,000 highlights", "search", `{"q":"x"}`,
			&provider{streams: 1, rows: 1, snippet: strings.Repeat("<mark>", 400_000)}, 6, 64 * megabyte, "s00000:r0",
		},
		{
			"rows of 500 kB", "query_records", `{"stream":"*","limit":75}`, larger, 200, 200 * megabyte,
			"rows=75 has_more=true",
		},
	}
}

// largePDF returns a PDF of 11.6 MB with one page.
func largePDF() []byte {
	const head = "%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj " +
		"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>endobj\n"
	return fmt.Appendf(nil, "%s4 0 obj<</Length 11000000>>stream\n%s\nendstream endobj trailer<</Root 1 0 "+
		"R>>\nstartxref\n0\n%%%%EOF", head, strings.Repeat("\xff", 11_600_000-300))
}

// related returns a workbook whose only sheet is in a number of relations.
func related(relations int) []byte {
	var file, list bytes.Buffer
	list.WriteString("<Relationships>")
	for i := range relations {
		fmt.Fprintf(&list, `<Relationship Id="r%d" Type="x/worksheet" Target="s.xml"/>`, i)
	}
	list.WriteString("</Relationships>")
	archive := zip.NewWriter(&file)
	for name, text := range map[string]string{
		"[Content_Types].xml": "<Types/>",
		"_rels/.rels": `<Relationships><Relationship Id="1" Type="x/officeDocument" ` +
			`Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml":            `<workbook><sheets><sheet name="S" r:id="r1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": list.String(),
		"xl/s.xml":                   "<worksheet/>",
	} {
		entry, _ := archive.Create(name) // to memory
		_, _ = entry.Write([]byte(text))
	}
	_ = archive.Close()
	return file.Bytes()
}

// run makes the call of a caller as a server does, and returns its text or its error.
func (a attack) run(ctx context.Context, client *rs.Client, readings *tool.Readings, caller string) string {
	ctx, end := rs.Bounded(ctx)
	defer end()
	result, err := definitionOf(a.tool).Run(ctx, tool.Env{RS: client, Readings: readings, Caller: caller},
		json.RawMessage(a.arguments))
	if err != nil {
		return err.Error()
	}
	return result.Text
}

// R-SCAN-8, R-ERR-9, R-DOC-4: an expensive call is answered within its requests and its memory.
func TestHostileCallsAreBounded(t *testing.T) {
	timetest.WithoutRace(t)
	defer debug.SetGCPercent(debug.SetGCPercent(20)) // garbage counts as little as possible
	readings := tool.NewReadings(tool.ReadingsOptions{MaxRecords: tool.DefaultReadOn})
	for _, each := range attacks() {
		client := each.provider.client(t)
		before := each.provider.requests.Load()
		var text string
		used, _ := measured(1, func() error { text = each.run(t.Context(), client, readings, "one"); return nil })
		requests := each.provider.requests.Load() - before
		t.Logf("%s: %d requests, %d MiB, %s", each.name, requests, used.peak>>20, used.time.Round(time.Millisecond))
		if requests > each.requests || used.peak > each.memory || !strings.Contains(text, each.want) {
			t.Errorf("%s: %d requests, %d MiB, want %q in\n%.600s", each.name, requests, used.peak>>20, each.want, text)
		}
	}
}
