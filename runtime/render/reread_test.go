package render_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/scan"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// pager is a resource server that pages over rows by limit and cursor, 25 rows without a limit.
type pager struct {
	rows  []string
	most  int   // rows of a page whatever limit is sent; 0: as many as asked for
	fails error // what reads after the first end in
	empty bool  // reads after the first hold no rows
	asked []string
	mu    sync.Mutex
}

func (p *pager) ProviderURL() string { return provider }

func (p *pager) Get(_ context.Context, request rs.Request) (*rs.Response, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, request.Query.Encoded())
	if p.fails != nil && len(p.asked) > 1 {
		return nil, p.fails
	}
	number := func(name string, otherwise int) int {
		if sent, ok := request.Query.Get(name); ok {
			if parsed, err := strconv.Atoi(strings.TrimPrefix(sent, "at")); err == nil {
				return parsed
			}
		}
		return otherwise
	}
	limit := number("limit", 25)
	if p.most > 0 {
		limit = p.most
	}
	from := number("cursor", 0)
	to := min(from+limit, len(p.rows))
	if p.empty && len(p.asked) > 1 {
		to = from
	}
	paging := `"has_more":false,"next_cursor":null`
	if to < len(p.rows) {
		paging = fmt.Sprintf(`"has_more":true,"next_cursor":"at%d"`, to)
	}
	body := `{"object":"list",` + paging + `,"data":[` + strings.Join(p.rows[from:to], ",") + `]}`
	return rs.Response{
		Status: 200, Request: request, URL: provider + string(request.Path) + "?" + request.Query.Encoded(),
	}.WithBody([]byte(body))
}

// sizedRecords returns rows with texts of these sizes in bytes.
func sizedRecords(sizes ...int) []string {
	rows := make([]string, len(sizes))
	for i, size := range sizes {
		rows[i] = fmt.Sprintf(`{"object":"record","id":"r%04d","stream":"notes","connection_id":"cin_1","data":{"n":%d,`+
			`"body":"%s"},"emitted_at":"2026-01-01T00:00:00Z"}`,
			i, i, strings.Repeat("word ", size/5))
	}
	return rows
}

func sizes(count, size int) []int {
	all := make([]int, count)
	for i := range all {
		all[i] = size
	}
	return all
}

// queryRecords makes one call as generated code does.
func queryRecords(server rs.Reader, cursor string, limit int) (*tool.Result, error) {
	var query rs.Query
	if limit > 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	call := given("query_records", `{"stream":"notes"}`)
	if limit > 0 {
		call.Arguments = append(call.Arguments, rawjson.Int("limit", int64(limit)))
	}
	request := rs.Request{Path: rs.JoinPath("v1", "streams", "notes", "records"), Query: query}
	found, err := scan.Rows(context.Background(), tool.Env{RS: server}, request,
		scan.RowsInput{Call: call, Stream: "notes"})
	if err != nil {
		return nil, err
	}
	return found.Render()
}

// shownPage is the members of structured output that a model reads.
type shownPage struct {
	LimitUsed int `json:"limit_used"`
	Data      struct {
		NextCursor string `json:"next_cursor"`
		Data       []struct {
			ID     string `json:"id"`
			Handle string `json:"handle"`
		} `json:"data"`
	} `json:"data"`
	Next []struct {
		Tool      string `json:"tool"`
		Arguments struct {
			Cursor string `json:"cursor"`
			Limit  int    `json:"limit"`
		} `json:"arguments"`
	} `json:"next"`
}

func shown(t interface{ Fatal(...any) }, result *tool.Result) shownPage {
	var page shownPage
	if err := json.Unmarshal(result.Structured, &page); err != nil {
		t.Fatal(err)
	}
	return page
}

// R-BUD-3, R-BUD-5: for rows of any size, paging by the shown cursor shows each row once and in order.
func TestPagingUnderTheBudgetLosesNothing(t *testing.T) {
	timetest.WithoutRace(t)
	rapid.Check(t, func(t *rapid.T) {
		weight := rapid.SampledFrom([]int{5, 1_000, 4_000, 40_000, 120_000})
		server := &pager{rows: sizedRecords(rapid.SliceOfN(weight, 1, 120).Draw(t, "sizes")...)}
		limit := rapid.SampledFrom([]int{0, 1, 7, 100}).Draw(t, "limit")
		cursor, read := "", []string{}
		for pages := 0; ; pages++ {
			if pages > len(server.rows) {
				t.Fatalf("%d pages of %d rows", pages, len(server.rows))
			}
			result, err := queryRecords(server, cursor, limit)
			if err != nil {
				t.Fatal(err)
			}
			if render.Length(result.Text) > render.TextCharacters ||
				render.Length(string(result.Structured)) > render.ChannelCharacters {
				t.Fatalf("text %d, structured %d characters", render.Length(result.Text), render.Length(string(result.Structured)))
			}
			page := shown(t, result)
			for _, row := range page.Data.Data {
				read = append(read, row.ID)
				if !strings.Contains(result.Text, row.Handle) {
					t.Fatalf("%s is not in text", row.Handle)
				}
			}
			cursor = page.Data.NextCursor
			if cursor == "" {
				break
			}
			if !strings.Contains(result.Text, `"cursor":"`+cursor+`"`) {
				t.Fatalf("the cursor %s is not in text", cursor)
			}
		}
		var want []string
		for i := range server.rows {
			want = append(want, fmt.Sprintf("r%04d", i))
		}
		if diff := cmp.Diff(want, read); diff != "" {
			t.Fatal(diff)
		}
	})
}

// R-BUD-3: a page is read again only once, from the same beginning, and both channels say so.
func TestAPageTooLargeIsReadAgain(t *testing.T) {
	for _, test := range []struct {
		size, least, most int // bytes of a record, rows that are shown
	}{{1_000, 20, 24}, {4_000, 5, 6}, {40_000, 10, 12}} {
		server := &pager{rows: sizedRecords(sizes(300, test.size)...)}
		result, err := queryRecords(server, "at100", 100)
		if err != nil {
			t.Fatal(err)
		}
		page := shown(t, result)
		if rows := len(page.Data.Data); rows < test.least || rows > test.most || page.Data.Data[0].ID != "r0100" {
			t.Errorf("%d bytes: %d rows from %s", test.size, rows, page.Data.Data[0].ID)
		}
		again := fmt.Sprintf("limit=%d&cursor=at100", page.LimitUsed)
		if diff := cmp.Diff([]string{"limit=100&cursor=at100", again}, server.asked); diff != "" {
			t.Errorf("%d bytes: the RS saw (-want +got):\n%s", test.size, diff)
		}
		if said := fmt.Sprintf("limit_used=%d: a page of 100 rows does not fit",
			page.LimitUsed); !strings.Contains(result.Text, said) {
			t.Errorf("%d bytes: text does not say %q:\n%s", test.size, said, result.Text)
		}
		next := page.Next[len(page.Next)-1]
		// the caller's (R-HAND-10)
		if next.Tool != "query_records" || next.Arguments.Cursor != page.Data.NextCursor || next.Arguments.Limit != 100 {
			t.Errorf("%d bytes: next %+v after a page with %q", test.size, next, page.Data.NextCursor)
		}
	}
}

// R-BUD-3: if reading again does not help, a page ends early, and its cursor leads to the next row.
func TestFailedReread(t *testing.T) {
	for name, server := range map[string]*pager{
		"the limit is ignored": {rows: sizedRecords(sizes(100, 4_000)...), most: 50},
		"the second read fails": {
			rows: sizedRecords(sizes(100, 4_000)...), fails: &rs.Failure{Reason: rs.Timeout, Message: "too late"},
		},
		"the second read is empty": {rows: sizedRecords(sizes(100, 4_000)...), empty: true},
	} {
		result, err := queryRecords(server, "", 50)
		if err != nil {
			t.Fatal(err)
		}
		page := shown(t, result)
		rows := len(page.Data.Data)
		if len(server.asked) != 2 || rows == 0 || rows == 50 {
			t.Errorf("%s: %d reads, %d rows", name, len(server.asked), rows)
		}
		server.fails, server.empty = nil, false
		result, err = queryRecords(server, page.Data.NextCursor, 50)
		if err != nil {
			t.Fatal(err)
		}
		if after := shown(t, result); after.Data.Data[0].ID != fmt.Sprintf("r%04d", rows) {
			t.Errorf("%s: %s follows %d rows", name, after.Data.Data[0].ID, rows)
		}
	}
}

// R-BUD-3: a page of hits is read again like a page of records.
func TestHitsTooManyAreReadAgain(t *testing.T) {
	var rows []string
	for i := range 100 {
		rows = append(rows, fmt.Sprintf(`{"object":"search_result","stream":"notes","connection_id":"cin_1",`+
			`"record_key":"r%04d","snippet":{"field":"body","text":"%s"},"note":"%s"}`,
			i, strings.Repeat("word ", 40), strings.Repeat("x", 900)))
	}
	server := &pager{rows: rows}
	seen := map[string]int{}
	cursor := ""
	for range rows {
		var query rs.Query
		query.Set("q", "word")
		query.Set("limit", "100")
		if cursor != "" {
			query.Set("cursor", cursor)
		}
		response, err := server.Get(t.Context(), rs.Request{Path: "/v1/search", Query: query})
		if err != nil {
			t.Fatal(err)
		}
		result, err := runSearch(t.Context(), tool.Env{RS: server}, response, scan.HitsInput{})
		if err != nil {
			t.Fatal(err)
		}
		checkBounds(t, result, render.TextCharacters)
		var page struct {
			Results []struct {
				ID string `json:"id"`
			} `json:"results"`
			Data struct {
				NextCursor string `json:"next_cursor"`
			} `json:"data"`
		}
		if err := json.Unmarshal(result.Structured, &page); err != nil {
			t.Fatal(err)
		}
		for _, hit := range page.Results {
			seen[hit.ID]++
		}
		if cursor = page.Data.NextCursor; cursor == "" {
			break
		}
	}
	if len(seen) != 100 {
		t.Errorf("%d of 100 hits", len(seen))
	}
	for id, times := range seen {
		if times != 1 {
			t.Errorf("%s was shown %d times", id, times)
		}
	}
}

// BenchmarkPage renders pages of 100 records, including the second read.
func BenchmarkPage(b *testing.B) {
	for _, size := range []int{100, 1_000, 4_000, 40_000} {
		b.Run(fmt.Sprintf("%dB", size), func(b *testing.B) {
			server := &pager{rows: sizedRecords(sizes(200, size)...)}
			rows, reads := 0, 0
			b.ReportAllocs()
			for b.Loop() {
				server.asked = nil
				result, err := queryRecords(server, "", 100)
				if err != nil {
					b.Fatal(err)
				}
				rows, reads = len(shown(b, result).Data.Data), len(server.asked)
			}
			b.ReportMetric(float64(rows), "rows")
			b.ReportMetric(float64(reads), "reads")
		})
	}
}

// R-BUD-6: a clipped text has the length that it has at its source.
func TestAClippedTextHasItsWholeLength(t *testing.T) {
	fields := []string{fmt.Sprintf(`"body":"%s"`, strings.Repeat("word ", 12_000))}
	for i := range 300 {
		fields = append(fields, fmt.Sprintf(`"f%03d":"%s"`, i, strings.Repeat("x", 200)))
	}
	for name, want := range map[string]string{
		fields[0]:                 " of 60000 characters shown]",
		strings.Join(fields, ","): " of 60000 characters shown]",
	} {
		server := &pager{rows: []string{`{"id":"r1","stream":"notes","connection_id":"cin_1","data":{` + name + `}}`}}
		result, err := queryRecords(server, "", 1)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(result.Text, want) {
			t.Errorf("no %s in:\n%.2000s", want, result.Text)
		}
	}
}
