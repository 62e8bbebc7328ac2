package golden_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/e2e/journey/blind"
	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/golden"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
	"github.com/pdppmcp/pdpp-mcp/sandbox/sample"
)

// bar is the limit of a result's cost over the sample data, and its cost before rows had one form.
type bar struct {
	what   string
	most   float64
	before string
	figure func(*bars) float64
}

var allBars = []bar{
	{
		"search, 25 hits with one excerpt each: structured output, bytes a hit beyond its excerpt", 560,
		"1,660 (22 of 25 hits)", func(b *bars) float64 {
			return b.search(func(r *tool.Result) int { return len(r.Structured) })
		},
	},
	{"the same search, text", 240, "305 (10 of 22 whole)", func(b *bars) float64 {
		return b.search(func(r *tool.Result) int { return len(r.Text) })
	}},
	{"query_records, 25 mails: structured output ÷ the page as it was sent", 1.02, "1.05 to 1.11", func(b *bars) float64 {
		result := b.call("query_records", `{"stream":"messages","connection_id":"cin_gmail_personal","limit":25}`)
		sent := b.transport.size(b.t, "/v1/streams/messages/records?limit=25&connection_id=cin_gmail_personal")
		return float64(len(result.Structured)) / float64(sent)
	}},
	{"the same mails, text ÷ the records' data as JSON", 0.80, "0.55 (14 of 25 rows whole)", func(b *bars) float64 {
		result := b.call("query_records", `{"stream":"messages","connection_id":"cin_gmail_personal","limit":25}`)
		data, _ := b.rows(result, 25)
		return float64(len(result.Text)) / float64(data)
	}},
	{
		"query_records, 25 mails with 3 short fields: structured output, bytes a row beyond the values", 140, "305",
		func(b *bars) float64 {
			result := b.call("query_records",
				`{"stream":"messages","connection_id":"cin_gmail_personal","limit":25,"fields":["subject","is_seen","date"]}`)
			_, values := b.rows(result, 25)
			return float64(len(result.Structured)-values) / 25
		},
	},
	{"the same fields, text", 70, "106", func(b *bars) float64 {
		result := b.call("query_records",
			`{"stream":"messages","connection_id":"cin_gmail_personal","limit":25,"fields":["subject","is_seen","date"]}`)
		_, values := b.rows(result, 25)
		return float64(len(result.Text)-values) / 25
	}},
	{"schema of one stream of 22 fields: structured output, bytes", 2_200, "3,165", func(b *bars) float64 {
		return float64(len(b.call("schema", `{"stream":"messages","connection_id":"cin_gmail_personal"}`).Structured))
	}},
	{"aggregate of 10 groups: structured output, bytes", 750, "1,159", func(b *bars) float64 {
		return float64(len(b.call("aggregate",
			`{"stream":"play_history","metric":"count","group_by":"track_id","limit":10}`).Structured))
	}},
	{"one body of 437 kB to its end: calls", 28, "107", (*bars).longest},
}

const barsFile = "bars.txt"

// R-BUD-5, R-BUD-7, R-SEARCH-2, R-SEARCH-5, R-AGG-4, R-WIN-4: the costs of results over the sample data, next to their
// limits. The figures may only fall: a larger one than the file has fails, also with -update.
func TestBars(t *testing.T) {
	timetest.WithoutRace(t)
	transport := sampleProvider(t)
	client, err := rs.NewClient(rs.Options{BaseURL: demoURL, Bearer: rs.NewSecret(transport.bearer), Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	b := &bars{t, transport, client}
	known := knownBars(t)
	var table strings.Builder
	for _, bar := range allBars {
		figure := bar.figure(b)
		met := "met"
		if figure > bar.most {
			met = "NOT MET"
		}
		if last, ok := known[bar.what]; ok && figure > last+0.005 {
			t.Errorf("%s: %.2f, it was %.2f", bar.what, figure, last)
		}
		fmt.Fprintf(&table, "%s | %g | %s | %.2f | %s\n", bar.what, bar.most, bar.before, figure, met)
	}
	golden.File(t, barsFile, "what | bar | before | now |\n"+table.String())
	t.Log("\n" + table.String())
}

// knownBars returns the figures of the file.
func knownBars(t *testing.T) map[string]float64 {
	t.Helper()
	known := map[string]float64{}
	file, err := os.Open(barsFile)
	if err != nil {
		return known // golden.File says so
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var figure float64
		if parts := strings.Split(lines.Text(), " | "); len(parts) == 5 {
			if _, err := fmt.Sscan(parts[3], &figure); err == nil {
				known[parts[0]] = figure
			}
		}
	}
	return known
}

// bars measures calls over the sample data.
type bars struct {
	t         *testing.T
	transport *inProcess
	client    *rs.Client
}

func (b *bars) call(name, arguments string) *tool.Result {
	b.t.Helper()
	result, err := definition(b.t, name).Run(b.t.Context(), tool.Env{RS: b.client}, json.RawMessage(arguments))
	if err != nil || result.IsError {
		b.t.Fatalf("%s %s: %v, %v", name, arguments, result, err)
	}
	return result
}

// search returns the cost of a hit beyond its excerpt. All hits are in one result.
func (b *bars) search(size func(*tool.Result) int) float64 {
	b.t.Helper()
	result := b.call("search", `{"q":"overdraft","limit":25}`)
	var shown struct {
		Results []struct{ Evidence []struct{ Preview string } }
	}
	decode(b.t, result.Structured, &shown)
	hits, err := blind.Text{}.Hits(result.Text)
	if err != nil || len(shown.Results) != 25 || len(hits.IDs()) != 25 {
		b.t.Fatalf("%d hits in structured output, %d in text: %v", len(shown.Results), len(hits.IDs()), err)
	}
	beyond := size(result)
	for _, hit := range shown.Results {
		if len(hit.Evidence) != 1 {
			b.t.Fatalf("a hit has %d excerpts", len(hit.Evidence))
		}
		beyond -= len(hit.Evidence[0].Preview)
	}
	return float64(beyond) / 25
}

// rows returns the bytes of the records' data as JSON objects, and those of their values alone. Both channels have
// every row whole.
func (b *bars) rows(result *tool.Result, count int) (data, values int) {
	b.t.Helper()
	text, err1 := blind.Text{}.Page(result.Text)
	structured, err2 := blind.Structured{}.Page(string(result.Structured))
	if err1 != nil || err2 != nil || len(text.Rows) != count || len(structured.Rows) != count {
		b.t.Fatalf("%d and %d rows: %v, %v", len(text.Rows), len(structured.Rows), err1, err2)
	}
	for _, row := range text.Rows {
		if len(row.Clipped) > 0 {
			b.t.Fatalf("%s is clipped", row.ID)
		}
		data++
		for name, value := range row.Values {
			data += len(name) + len(value) + len(`"":,`)
			values += len(value)
		}
	}
	return data + count, values
}

// longest returns the number of calls that read the longest body, beginning with its record.
func (b *bars) longest() float64 {
	b.t.Helper()
	calls := 0
	reader := blind.NewReader(func(ctx context.Context, name, arguments string) string {
		result, err := definition(b.t, name).Run(ctx, tool.Env{RS: b.client}, json.RawMessage(arguments))
		if err != nil {
			b.t.Fatal(err)
		}
		return result.Text
	}, blind.Text{})
	long, err := reader.LongestText(b.t.Context(), sample.LongLetterWords)
	if err != nil || len(long.Text) < 400_000 {
		b.t.Fatalf("%d characters: %v", len(long.Text), err)
	}
	calls = long.Windows + 1 // and the fetch
	return float64(calls)
}
