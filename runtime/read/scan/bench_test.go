package scan_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/e2e/sandboxtest"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/audit"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
	"github.com/pdppmcp/pdpp-mcp/sandbox"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// Of the mailbox that is read in benchmarks.
const (
	mailboxPages = 50
	mailboxRows  = 100
)

// mailbox is a resource server without a network: so many pages of records of 1 kB. It refuses to filter, to sort and
// to add up.
type mailbox [mailboxPages][]byte

// newMailbox has whitespace between the tokens of its pages when it is spaced, as package json of Python writes it.
func newMailbox(spaced bool) *mailbox {
	m := &mailbox{}
	for page := range m {
		rows := make([]string, mailboxRows)
		for i := range rows {
			number := page*mailboxRows + i
			rows[i] = fmt.Sprintf(`{"data":{"id":"m%06d","from_email":"sender%d@example.com","amount":%d.%02d,"is_marked":%t,`+
				`"received_at":"2026-%02d-%02dT00:00:00.000Z","subject":"Note number %d","snippet":%q},`+
				`"emitted_at":"2026-12-31T23:59:59Z",`+
				`"id":"m%06d","object":"record","stream":"mails","connection_id":"cin_1","display_name":"Personal Gmail"}`,
				number, number%5, number*7919%1000, number%100, number%100 == 0, 12-number/500, 28-number%500/20, number,
				strings.Repeat("some words ", 60), number)
		}
		next := ""
		if page+1 < mailboxPages {
			next = fmt.Sprintf(`"next_cursor":"%d",`, page+1)
		}
		m[page] = fmt.Appendf(nil, `{"data":[%s],"has_more":%t,%s"object":"list"}`, strings.Join(rows, ","), next != "", next)
		if spaced {
			m[page] = []byte(strings.NewReplacer(`":`, `": `, `,"`, `, "`, `,{`, `, {`).Replace(string(m[page])) + "\n")
		}
	}
	return m
}

func (m *mailbox) RoundTrip(request *http.Request) (*http.Response, error) {
	query := request.URL.Query()
	status, body := http.StatusBadRequest, []byte(nil)
	page, _ := strconv.Atoi(query.Get("cursor")) // none: the first
	switch {
	case query.Has("filter[is_marked]"):
		body = []byte(`{"error":{"type":"invalid_request_error","code":"invalid_request","param":"filter"}}`)
	case query.Has("sort"):
		body = []byte(`{"error":{"type":"invalid_request_error","code":"invalid_sort","param":"sort"}}`)
	case strings.HasSuffix(request.URL.Path, "/aggregate"):
		body = []byte(`{"error":{"type":"invalid_request_error","code":"invalid_request"}}`)
	default:
		status, body = http.StatusOK, m[page]
	}
	return &http.Response{StatusCode: status, ContentLength: int64(len(body)), Body: io.NopCloser(bytes.NewReader(body))},
		nil
}

// distant is a resource server that takes 5 ms longer for each further stream.
type distant struct {
	rs.Reader
	streams []string
}

func (d *distant) Get(ctx context.Context, request rs.Request) (*rs.Response, error) {
	time.Sleep(time.Duration(1+slices.Index(d.streams, request.Path.Route().Stream)) * 5 * time.Millisecond)
	return d.Reader.Get(ctx, request)
}

// The first page of a year of all streams takes at most 1.5 times as long as the first page of the slowest stream
// (R-TIME-4).
func BenchmarkTimelineOfAYear(b *testing.B) {
	streams := []string{
		"accounts", "attachments", "channels", "commits", "events", "issues", "labels", "message_bodies",
		"messages", "notices",
		"pull_requests", "saved_tracks", "threads", "transactions", "play_history",
	}
	for _, reads := range resource.AllReads() {
		b.Run(string(reads), func(b *testing.B) {
			box, url := sandboxtest.Serve(b, sandbox.Options{PublicURL: provider, Seed: 1, Reads: reads})
			client, err := rs.NewClient(rs.Options{
				BaseURL: url, ProviderURL: provider,
				Bearer: rs.NewSecret(box.Tokens()["everything"]),
			})
			if err != nil {
				b.Fatal(err)
			}
			took := func(stream, field string) float64 {
				started := time.Now()
				c := newCaller(&watched{Reader: &distant{client, streams}}, 20_000)
				if _, err := c.try(b, "query_records", fmt.Sprintf(
					`{"stream":%q,"limit":25,"filter":{%q:{"gte":"2025-05-01T00:00:00Z","lt":"2026-05-01T00:00:00Z"}}}`, stream,
					field)); err != nil {
					b.Fatal(err)
				}
				return time.Since(started).Seconds()
			}
			var ratios []float64
			for b.Loop() {
				slowest := took("play_history", "played_at")
				ratios = append(ratios, took("*", "time")/slowest)
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "×slowest")
		})
	}
}

// A mailbox is read on, with a log of what was read as a local server has it. Two more pages are requested during the
// one that is looked at, so that time says less than the processor time of the test.
func BenchmarkReading(b *testing.B) {
	log := audit.NewStream(io.Discard, slog.New(slog.DiscardHandler))
	readings := tool.NewReadings(tool.ReadingsOptions{MaxRecords: mailboxPages * mailboxRows})
	for _, reading := range []struct{ name, tool, arguments string }{
		{"filter", "query_records", `{"stream":"mails","filter":{"is_marked":true},"fields":["subject"],"limit":50}`},
		{"groups", "aggregate", `{"stream":"mails","metric":"sum","field":"amount","group_by":"from_email",` +
			`"group_by_time":"received_at","granularity":"month"}`},
		{"top", "query_records", `{"stream":"mails","sort":"-amount","fields":["subject","amount"],"limit":10}`},
	} {
		arguments := json.RawMessage(reading.arguments)
		run := gen.Surface().Tools[slices.IndexFunc(gen.Surface().Tools,
			func(d tool.Definition) bool { return d.Name == reading.tool })].Run
		for _, name := range []string{reading.name, reading.name + " spaced"} {
			box := newMailbox(name != reading.name)
			client, err := rs.NewClient(rs.Options{
				BaseURL: provider,
				Bearer:  rs.NewSecret("Zk3vQ0yH8sTn5rWb1XgLc7"), Transport: box,
			})
			if err != nil {
				b.Fatal(err)
			}
			b.Run(name, func(b *testing.B) {
				b.SetBytes(1000 * mailboxPages * mailboxRows)
				b.ReportAllocs()
				for b.Loop() {
					call := log.Begin(audit.Caller{}, reading.tool)
					result, err := run(b.Context(), tool.Env{RS: call.Reader(client), Readings: readings}, arguments)
					if err != nil || !strings.Contains(result.Text, "5000") {
						b.Fatalf("%v\n%s", err, result.Text)
					}
					call.End(result.Rows, "", 0)
				}
			})
		}
	}
}
