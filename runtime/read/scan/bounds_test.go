package scan_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// many returns a stand-in with so many records, every tenth of kind b.
func many(records int) *standIn {
	server := &standIn{}
	for n := range records {
		kind := "a"
		if n%10 == 0 {
			kind = "b"
		}
		at := time.Date(2026, 1, 1, 0, n, 0, 0, time.UTC).Format(time.RFC3339)
		server.records = append(server.records, number(n, at, kind, 0))
	}
	return server
}

func (s *standIn) call(t *testing.T, env tool.Env, name, arguments string) (page, error) {
	t.Helper()
	env.RS = s
	result, err := definition(name).Run(t.Context(), env, json.RawMessage(arguments))
	if err != nil {
		return page{}, err
	}
	return pageOf(t, result), nil
}

const ofKindB = `{"stream":"notes","connection_id":"cin_1","filter":{"kind":"b"},"limit":100,"fields":["n"]}`

// R-SCAN-8: a wait that the call has no time for ends it, with the server's words; before the first page it is the
// answer.
func TestRateLimitedReading(t *testing.T) {
	for name, test := range map[string]struct {
		limited int // the request that is answered 429
		rows    int
		isError bool
	}{
		"the filter":      {limited: 1, isError: true},
		"the first page":  {limited: 3, isError: true},
		"the second page": {limited: 4, rows: 10},
	} {
		t.Run(name, func(t *testing.T) {
			server := many(250)
			server.fail = func(request int) error {
				if request != test.limited {
					return nil
				}
				return &rs.Error{
					Status: http.StatusTooManyRequests, Code: "rate_limit_exceeded", Message: "slow down",
					RetryAfter: "30", URL: provider,
				}
			}
			env := tool.Env{Readings: tool.NewReadings(tool.ReadingsOptions{MaxRecords: 20_000})}
			read, err := server.call(t, env, "query_records", ofKindB)
			var refused *rs.Error
			if isRefused := errors.As(err, &refused); isRefused != test.isError || isRefused && refused.RetryAfter != "30" {
				t.Fatalf("error %v", err)
			}
			if test.isError {
				return
			}
			if r := read.Reading; len(read.Data.Data) != test.rows || r.Complete || !read.Data.HasMore ||
				!strings.Contains(r.Note, "Retry-After: 30") ||
				!strings.Contains(read.text, "Retry-After: 30") {
				t.Fatalf("%s", read.text)
			}
			server.fail = nil
			rest, err := server.call(t, env, "query_records", string(read.Next[0].Arguments))
			if err != nil || len(rest.Data.Data) != 15 || rest.Data.HasMore || rest.Reading.Read != 150 {
				t.Errorf("the rest: %v\n%s", err, rest.text)
			}
		})
	}
}

// R-SCAN-6, R-SCAN-8: a reading is complete when it has passed a bound of the filter in the order of the list, in
// either direction.
func TestReadingEndsBehindABound(t *testing.T) {
	env := tool.Env{Readings: tool.NewReadings(tool.ReadingsOptions{MaxRecords: 20_000})}
	for name, test := range map[string]struct{ tool, arguments string }{
		"newest first": {
			"query_records",
			`{"stream":"notes","filter":{"at":{"gte":"2026-01-14T00:00:00Z"}},"limit":100,"fields":["n"],"count":"exact"}`,
		},
		"oldest first": {
			"query_records",
			`{"stream":"notes","filter":{"at":{"lt":"2026-01-02T00:00:00Z"}},"limit":100,"fields":["n"],"count":"exact",` +
				`"order":"asc"}`,
		},
		"a tally": {"aggregate", `{"stream":"notes","metric":"sum","field":"n","filter":{"at":{"gte":"2026-01-14"}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			server := many(0)
			for n := range 1_400 {
				server.records = append(server.records,
					number(n, time.Date(2026, 1, 1, 0, 15*n, 0, 0, time.UTC).Format(time.RFC3339), "a", 0))
			}
			read, err := server.call(t, env, test.tool, test.arguments)
			if err != nil {
				t.Fatal(err)
			}
			if r := read.Reading; !r.Complete || r.Read > 400 || r.Matched < 50 {
				t.Errorf("%s", read.text)
			}
		})
	}
}

// R-SCAN-8: a cancelled call ends with its error, and a refusal of rights does not count as an interruption.
func TestEndedReading(t *testing.T) {
	env := tool.Env{Readings: tool.NewReadings(tool.ReadingsOptions{MaxRecords: 20_000})}
	server := many(250)
	ctx, cancel := context.WithCancel(t.Context())
	server.fail = func(request int) error {
		if request == 3 {
			cancel()
			return &rs.Failure{Reason: rs.Timeout, Message: "cancelled", Cause: context.Canceled}
		}
		return nil
	}
	env.RS = server
	if result, err := definition("query_records").Run(ctx, env, json.RawMessage(ofKindB)); err == nil {
		t.Errorf("a cancelled call is answered: %s", result.Text)
	}
	server = many(250)
	server.fail = func(request int) error {
		if request == 3 {
			return &rs.Error{Status: http.StatusForbidden, Code: "grant_revoked", Message: "revoked", URL: provider}
		}
		return nil
	}
	var refused *rs.Error
	if _, err := server.call(t, env, "query_records", ofKindB); !errors.As(err, &refused) ||
		refused.Code != "grant_revoked" {
		t.Errorf("error %v", err)
	}
}

// R-SCAN-8: without leave to read, refusals stay as they are, and cursors of servers that read are refused before any
// read.
func TestReadingOnIsOptional(t *testing.T) {
	server := many(250)
	read, err := server.call(t, tool.Env{Readings: tool.NewReadings(tool.ReadingsOptions{MaxRecords: 100})},
		"query_records", ofKindB)
	if err != nil || !read.Data.HasMore {
		t.Fatal(err, read.text)
	}
	server.asked = nil
	none := tool.Env{Readings: tool.NewReadings(tool.ReadingsOptions{MaxRecords: 0})}
	for name, arguments := range map[string]string{
		"query_records": ofKindB,
		"aggregate":     `{"stream":"notes","metric":"sum","field":"n","group_by":"kind"}`,
		"search":        `{"q":"x","streams":["notes"],"filter":{"kind":"b"}}`,
	} {
		var refused *rs.Error
		if _, err := server.call(t, none, name, arguments); !errors.As(err, &refused) ||
			refused.Status != http.StatusBadRequest {
			t.Errorf("%s: error %v", name, err)
		}
	}
	for _, asked := range server.asked {
		if strings.HasSuffix(string(asked.Path), "/records") && !strings.Contains(asked.Query.Encoded(), "filter") {
			t.Errorf("read %s", asked.Query.Encoded())
		}
	}
	some := tool.Env{Readings: tool.NewReadings(tool.ReadingsOptions{MaxRecords: 100})}
	other := strings.Replace(string(read.Next[0].Arguments), `"b"`, `"a"`, 1)
	changed := strings.Replace(string(read.Next[0].Arguments), `"reading.`, `"reading.x`, 1)
	for arguments, env := range map[string]tool.Env{string(read.Next[0].Arguments): none, other: some, changed: some} {
		server.came = 0
		var refused *tool.Error
		if _, err := server.call(t, env, "query_records", arguments); !errors.As(err, &refused) || server.came > 0 {
			t.Errorf("%s: error %v after %d requests", arguments, err, server.came)
		}
	}
}

// R-SCAN-7: a cursor of an unfiltered page of the resource server does not continue a filtered page.
func TestForeignCursors(t *testing.T) {
	server := many(250)
	env := tool.Env{Readings: tool.NewReadings(tool.ReadingsOptions{MaxRecords: 20_000})}
	arguments := strings.Replace(ofKindB, `"limit"`, `"cursor":"eyJraW5kIjoicGFnZSJ9","limit"`, 1)
	for _, name := range []string{"refused now", "known to be refused"} {
		var refused *tool.Error
		if _, err := server.call(t, env, "query_records", arguments); !errors.As(err, &refused) ||
			!strings.Contains(refused.Message, "belongs to another call") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// R-SCAN-1: a refusal is remembered for some minutes, so that a provider that begins to filter is noticed.
func TestRefusalsAreForgotten(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	readings := tool.NewReadings(tool.ReadingsOptions{MaxRecords: 10, Now: func() time.Time { return now }})
	const other = "https://other.example"
	readings.NoteRefusal([]string{provider})
	if !readings.Refuses([]string{provider}) || readings.Refuses([]string{other}) ||
		readings.Refuses([]string{provider, other}) || readings.Refuses(nil) {
		t.Error("it remembers another refusal than the one that was noted")
	}
	if now = now.Add(5 * time.Minute); readings.Refuses([]string{provider}) {
		t.Error("it still remembers the refusal after five minutes")
	}
}

// R-SCAN-8: one caller reads at most twice at once; another one does not wait for it.
func TestTwoReadingsOfACaller(t *testing.T) {
	readings := tool.NewReadings(tool.ReadingsOptions{MaxRecords: 10})
	var ends []func()
	for range 2 {
		end, err := readings.Begin(t.Context(), "one")
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, end)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	var refused *tool.Error
	if _, err := readings.Begin(ended, "one"); !errors.As(err, &refused) || refused.Code != tool.RateLimitExceeded {
		t.Errorf("a third reading: %v", err)
	}
	other, err := readings.Begin(t.Context(), "two")
	if err != nil {
		t.Fatalf("another caller: %v", err)
	}
	other()
	var waiting sync.WaitGroup
	waiting.Go(func() {
		if end, err := readings.Begin(t.Context(), "one"); err != nil {
			t.Error(err)
		} else {
			end()
		}
	})
	ends[0]()
	waiting.Wait()
	ends[1]()
}

// R-SCAN-7: records that go or come between two pages cost and repeat no other row.
func TestChangesBetweenPages(t *testing.T) {
	for _, gone := range []string{"the last row shown", "a row before it", "none, one comes"} {
		t.Run(gone, func(t *testing.T) {
			server := many(60)
			env := tool.Env{Readings: tool.NewReadings(tool.ReadingsOptions{MaxRecords: 20_000})}
			arguments := strings.Replace(ofKindB, "100", "2", 1)
			read, err := server.call(t, env, "query_records", arguments)
			if err != nil {
				t.Fatal(err)
			}
			switch gone {
			case "the last row shown":
				server.records = append(server.records[:40:40], server.records[41:]...)
			case "a row before it":
				server.records = append(server.records[:45:45], server.records[46:]...)
			default:
				server.records = append(server.records, number(99, "2026-01-01T00:59:59Z", "a", 0))
			}
			got := read.handles(t)
			for len(read.Next) > 0 {
				if read, err = server.call(t, env, "query_records", string(read.Next[0].Arguments)); err != nil {
					t.Fatal(err)
				}
				got = append(got, read.handles(t)...)
			}
			want := "[cin_1/notes:r0050 cin_1/notes:r0040 cin_1/notes:r0030 cin_1/notes:r0020 cin_1/notes:r0010 " +
				"cin_1/notes:r0000]"
			if fmt.Sprint(got) != want {
				t.Errorf("rows %v, want %v", got, want)
			}
		})
	}
}
