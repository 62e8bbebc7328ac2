package scan_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// R-SCAN-4: the rows that come first by a field that no resource server sorts by, of a filtered stream too.
func TestFirstRowsByAnotherField(t *testing.T) {
	for _, reads := range resource.AllReads() {
		c := newCaller(sandboxOf(t, reads, "everything"), 20_000)
		read := c.call(t, "query_records",
			`{"stream":"transactions","sort":"-amount_cents","limit":3,"fields":["amount_cents"],`+
				`"filter":{"category":"groceries"}}`)
		var amounts []int64
		for _, row := range read.Data.Data {
			var of struct {
				Data struct {
					Cents int64 `json:"amount_cents"`
				} `json:"data"`
			}
			if err := json.Unmarshal(row, &of); err != nil {
				t.Fatal(err)
			}
			amounts = append(amounts, of.Data.Cents)
		}
		isFalling := slices.IsSortedFunc(amounts, func(a, b int64) int { return int(b - a) })
		if r := read.Reading; len(amounts) != 3 || !isFalling || r == nil || !r.Complete || !read.Data.HasMore ||
			read.Data.NextCursor == "" {
			t.Errorf("%s: %s", reads, read.text)
		}
	}
}

// R-SCAN-4, R-CLAIM-7: the pages of such an order have every row once, also of two connections and of filtered streams.
// A page that ends between equal values says so.
func TestPagesInTheOrderOfAnotherField(t *testing.T) {
	for _, reads := range resource.AllReads() {
		c := newCaller(sandboxOf(t, reads, "everything"), 20_000)
		for _, each := range []struct{ unsorted, sort string }{
			{`{"stream":"transactions","limit":40,"fields":["amount_cents"]`, "-amount_cents"},
			{`{"stream":"transactions","limit":100,"fields":["amount_cents"],"filter":{"amount_cents":{"lt":0}}`, "category"},
			// a page does not fit a result
			{`{"stream":"message_bodies","connection_id":"cin_gmail_work","limit":100`, "-body_text"},
		} {
			want, got := c.all(t, each.unsorted+`}`), c.all(t, each.unsorted+`,"sort":"`+each.sort+`"}`)
			slices.Sort(want)
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %s by %s (-unsorted +sorted):\n%s", reads, each.unsorted, each.sort, diff)
			}
		}
		if rows := c.all(t, `{"stream":"messages","limit":61,"fields":["subject"],"sort":"-is_seen"}`); len(rows) != 432 {
			t.Errorf("%s: %d rows of two connections", reads, len(rows))
		}
		const ends = "ends between rows of equal value"
		read := c.call(t, "query_records", `{"stream":"messages","sort":"-is_seen","fields":["subject"],"limit":2}`)
		if !strings.Contains(read.text, ends) || !strings.Contains(read.Note, ends) {
			t.Errorf("%s: it does not say that the next row is equal: %s", reads, read.text)
		}
	}
}

// R-SCAN-4: numbers as text are ordered by value, and the result says so.
func TestFirstRowsByNumbersAsTexts(t *testing.T) {
	c := newCaller(sandboxOf(t, resource.ReadsOpen, "everything"), 20_000)
	for sort, warns := range map[string]bool{"-amount": true, "-amount_cents": false, "counterparty": false} {
		read := c.call(t, "query_records", `{"stream":"transactions","sort":"`+sort+`","limit":2,"fields":["number"]}`)
		const said = "amount holds numbers as text; they are ordered by value"
		if strings.Contains(read.text, said) != warns {
			t.Errorf("%s: %s", sort, read.text)
		}
	}
}

// R-SCAN-1, R-SCAN-4: names that the resource server does not know are refused in its words, and so is what contradicts
// itself.
func TestRefusedNamesStayRefused(t *testing.T) {
	c := newCaller(sandboxOf(t, resource.ReadsV01, "everything"), 20_000)
	for arguments, code := range map[string]string{
		`{"stream":"transactions","sort":"nope"}`:                                    "invalid_sort",
		`{"stream":"transactions","sort":"-amount_cents","order":"asc"}`:             "invalid_sort",
		`{"stream":"transactions","filter":{"nope":1}}`:                              "unknown_field",
		`{"stream":"transactions","filter":{"nope":1},"fields":["number"]}`:          "unknown_field",
		`{"stream":"transactions","filter":{"category":"x"},"fields":["nope"]}`:      "unknown_field",
		`{"stream":"transactions","filter":{"category":"x"},"expand":["account"]}`:   "invalid_expand",
		`{"stream":"transactions","filter":{"category":"x"},"view":"basic"}`:         "invalid_request",
		`{"stream":"nope","filter":{"category":"x"}}`:                                "context.stream_not_allowed",
		`{"stream":"transactions","filter":{"category":"x"},"changes_since":"soon"}`: "invalid_cursor",
	} {
		_, err := c.try(t, "query_records", arguments)
		var refused *rs.Error
		if !errors.As(err, &refused) && code != "invalid_expand" || refused != nil && refused.Code != code || err == nil {
			t.Errorf("%s: %v, want %s", arguments, err, code)
		}
	}
}

// R-SCAN-1: at a provider that filters, a field or an operator that it refuses is refused, and no page is read without
// the filter.
func TestUnfilterableFields(t *testing.T) {
	c := newCaller(sandboxOf(t, resource.ReadsOpen, "everything"), 20_000)
	for name, arguments := range map[string]string{
		"query_records": `{"stream":"transactions","filter":{"description":{"gte":"a"}}}`,
		"aggregate":     `{"stream":"transactions","metric":"count","filter":{"description":{"gte":"a"}}}`,
		"search":        `{"q":"rent","streams":["transactions"],"filter":{"description":{"gte":"a"}}}`,
	} {
		var refused *rs.Error
		if _, err := c.try(t, name, arguments); !errors.As(err, &refused) || refused.Status != 400 ||
			!strings.Contains(refused.Message, "description") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, sent := range c.taken() {
		if isPage := strings.Contains(sent, "/records?"); isPage && !strings.Contains(sent, "filter%5B") {
			t.Errorf("sent %s", sent)
		}
	}
}

// R-SCAN-4, R-SCAN-6: the first rows of a reading that ends before the stream are followed by those of what is behind.
func TestFirstRowsOfAnIncompleteReading(t *testing.T) {
	server := many(250)
	env := tool.Env{Readings: tool.NewReadings(tool.ReadingsOptions{MaxRecords: 100})}
	arguments := `{"stream":"notes","connection_id":"cin_1","filter":{"kind":"b"},"sort":"-n","limit":2,"fields":["n"],` +
		`"count":"exact"}`
	var read []string
	for range 10 {
		page, err := server.call(t, env, "query_records", arguments)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range page.Data.Data {
			var of struct {
				Data struct{ N json.Number } `json:"data"`
			}
			if err := json.Unmarshal(row, &of); err != nil {
				t.Fatal(err)
			}
			read = append(read, of.Data.N.String())
		}
		if strings.Contains(page.text, "count=") {
			t.Errorf("a part is counted as all: %s", page.text)
		}
		if page.Data.HasMore != (len(page.Next) == 1) || !page.Data.HasMore && !page.Reading.Complete {
			t.Fatalf("%s", page.text)
		}
		if !page.Data.HasMore {
			break
		}
		arguments = string(page.Next[0].Arguments)
	}
	if want := []string{"240", "230", "140", "130", "40", "30", "20", "10", "0"}; !slices.Equal(read, want) {
		t.Errorf("%v, want %v", read, want)
	}
	other := strings.Replace(arguments, `"-n"`, `"n"`, 1)
	if _, err := server.call(t, env, "query_records", other); err == nil {
		t.Error("a cursor of another order is taken")
	}
}
