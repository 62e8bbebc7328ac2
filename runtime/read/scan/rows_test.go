package scan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// R-SCAN-1, R-SCAN-2, R-SCAN-7: a provider that refuses filters and one that answers them give the same rows in the
// same order.
func TestFiltersAsTheOwnersReads(t *testing.T) {
	closed := newCaller(sandboxOf(t, resource.ReadsV01, "everything"), 20_000)
	open := newCaller(sandboxOf(t, resource.ReadsOpen, "everything"), 20_000)
	for _, arguments := range []string{
		`{"stream":"messages","connection_id":"cin_gmail_personal","filter":{"is_seen":false},"limit":4,"fields":["id","subject"]}`,
		`{"stream":"messages","connection_id":"cin_gmail_personal","filter":{"received_at":{"gte":"2026-01-01",` +
			`"lt":"2026-02-01"}},"limit":3,"fields":["id","received_at"]}`,
		`{"stream":"messages","connection_id":"cin_gmail_personal","filter":{"received_at":{"gte":"2026-01-01"},` +
			`"is_seen":true},"limit":7,"order":"asc","fields":["id"]}`,
		`{"stream":"messages","connection_id":"cin_gmail_personal","filter":{"subject":"no such subject"},"fields":["id"]}`,
		`{"stream":"messages","connection_id":"cin_gmail_personal","filter":{"received_at":{"gte":"2025-12-20"}},` +
			`"limit":100}`,
	} {
		t.Run(arguments, func(t *testing.T) {
			got, want := closed.all(t, arguments), open.all(t, arguments)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("rows (-open +v0.1):\n%s", diff)
			}
			for _, sent := range open.taken() { // an empty page is read again, to say why (R-CLAIM-8)
				if len(want) > 0 && !strings.Contains(sent, "filter%5B") {
					t.Errorf("read on at a provider that filters: %s", sent)
				}
			}
		})
	}
}

// R-SCAN-1, R-SCAN-8: the refusal is asked for once, pages are of 100 records and of the fields that are needed.
func TestWhatIsSent(t *testing.T) {
	c := newCaller(sandboxOf(t, resource.ReadsV01, "everything"), 20_000)
	const arguments = `{"stream":"messages","connection_id":"cin_gmail_personal","filter":{"is_seen":false},"limit":4,` +
		`"fields":["subject"]}`
	c.call(t, "query_records", arguments)
	first := c.taken()
	if len(first) < 2 || !strings.Contains(first[0], "filter%5Bis_seen%5D=false") {
		t.Fatalf("the filter is not asked for first: %q", first)
	}
	c.call(t, "query_records", arguments)
	second := c.taken()
	if diff := cmp.Diff(first[1:], second); diff != "" {
		t.Errorf("after a refusal (-first without it +second):\n%s", diff)
	}
	if !strings.HasPrefix(second[0], "/v1/schema?") { // it shows which field has the time (R-SCAN-6)
		t.Errorf("sent %s first", second[0])
	}
	for _, sent := range second[1:] {
		if !strings.Contains(sent, "limit=100") || !strings.Contains(sent, "fields=subject%2Cis_seen%2Creceived_at") ||
			strings.Contains(sent, "filter") {
			t.Errorf("sent %s", sent)
		}
	}
}

// R-SCAN-6, R-SCAN-7: bounded calls say how far they read, and together they return every row once.
func TestBoundedPages(t *testing.T) {
	open := newCaller(sandboxOf(t, resource.ReadsOpen, "everything"), 20_000)
	box := sandboxOf(t, resource.ReadsV01, "everything")
	const arguments = `{"stream":"messages","connection_id":"cin_gmail_personal","filter":{"is_seen":false},"limit":3,` +
		`"fields":["id","received_at"]}`
	want := open.all(t, arguments)
	for _, most := range []int{1, 7, 30, 101} {
		c := newCaller(box, most)
		if got := c.all(t, arguments); !slices.Equal(got, want) {
			t.Errorf("--read-on %d: rows %q, want %q", most, got, want)
		}
		read := c.call(t, "query_records", arguments)
		if r := read.Reading; r == nil || r.By != "adapter" || r.Read > int64(most) || r.Complete || read.UpTo == nil ||
			read.UpTo.ID == "" || read.UpTo.Time == "" {
			t.Errorf("--read-on %d: reading %+v up to %+v\n%s", most, r, read.UpTo, read.text)
		}
		for _, said := range []string{
			`read_by="adapter"`, fmt.Sprintf("records_read=%d", read.Reading.Read),
			"complete=false", "up_to={",
		} {
			if !strings.Contains(read.text, said) {
				t.Errorf("--read-on %d: the text lacks %s:\n%s", most, said, read.text)
			}
		}
	}
}
