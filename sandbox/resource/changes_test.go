package resource_test

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

const feed = "/v1/streams/messages/records?fields=id&limit=20&"

func TestChangesFromTheBeginningInPages(t *testing.T) {
	f := newFixture(t)
	page := f.get(personalToken, feed+"changes_since=beginning")
	page.want("data.0.id", `"p-001"`)
	since := page.text("next_changes_since")
	ids := page.column("data", "id")
	for page.text("next_cursor") != "" {
		if strings.Contains(page.text("links.next"), "changes_since") {
			t.Errorf("next link starts anew: %s", page.text("links.next"))
		}
		page = f.get(personalToken, page.text("links.next"))
		ids = append(ids, page.column("data", "id")...)
		if page.text("next_changes_since") != since {
			t.Errorf("next_changes_since moved to %q within one feed", page.text("next_changes_since"))
		}
	}
	if len(ids) != personalCount+1 || slices.Contains(ids[1:], ids[0]) {
		t.Errorf("the feed has %d records: %v", len(ids), ids)
	}
	f.get(personalToken, feed+"changes_since="+url.QueryEscape(since)).want("data", "[]")
}

func TestChangesShowUpdatesAndTombstones(t *testing.T) {
	f := newFixture(t)
	since := f.get(personalToken, feed+"changes_since=beginning").text("next_changes_since")
	if err := f.store.Delete(t.Context(), personal, "messages", "p-005"); err != nil {
		t.Fatal(err)
	}
	changed := catalog.Record{
		ConnectionID: personal, Stream: "messages", Key: "p-007", EmittedAt: time.Date(2026, 6, 1, 0, 0, 0, 10e6, time.UTC),
		Data: json.RawMessage(`{"id":"p-007","subject":"changed","received_at":"2026-01-07T09:00:00Z"}`),
	}
	if err := f.store.Put(t.Context(), changed); err != nil {
		t.Fatal(err)
	}
	a := f.get(personalToken, feed+"changes_since="+url.QueryEscape(since))
	if got := a.column("data", "id"); !slices.Equal(got, []string{"p-005", "p-007"}) {
		t.Fatalf("changes are %v", got)
	}
	a.want("data.0.deleted", "true")
	a.want("data.0.data", "null")
	if a.text("data.0.deleted_at") == "" {
		t.Error("the tombstone has no deleted_at")
	}
	a.want("data.1.emitted_at", `"2026-06-01T00:00:00.010Z"`)
	if a := f.send("GET", personalToken, "/v1/streams/messages/records/p-005", ""); a.Code != 404 {
		t.Errorf("a deleted record is answered with %d", a.Code)
	}
	// p-005 lies before the range of the narrow grant, and so does what became of it.
	for _, id := range f.get(narrowToken,
		"/v1/streams/messages/records?fields=id&limit=100&changes_since=beginning").column("data", "id") {
		if id < "p-010" || id > "p-031" {
			t.Errorf("the narrow grant sees %s", id)
		}
	}
}

// A feed that was begun ends where it began to end, whatever changes meanwhile.
func TestChangesDuringAFeedComeInTheNext(t *testing.T) {
	f := newFixture(t)
	page := f.get(personalToken, feed+"changes_since=beginning")
	since := page.text("next_changes_since")
	if err := f.store.Delete(t.Context(), personal, "messages", "p-040"); err != nil {
		t.Fatal(err)
	}
	for page.text("next_cursor") != "" {
		page = f.get(personalToken, page.text("links.next"))
		if slices.Contains(page.column("data", "id"), "p-040") {
			t.Error("the feed shows a change that came after its first page")
		}
	}
	f.get(personalToken, feed+"changes_since="+url.QueryEscape(since)).want("data.0.id", `"p-040"`)
}

func TestChangesBeforeTheFloorAreGone(t *testing.T) {
	f := newFixture(t)
	since := f.get(personalToken, feed+"changes_since=beginning").text("next_changes_since")
	if err := f.store.Delete(t.Context(), personal, "messages", "p-005"); err != nil {
		t.Fatal(err)
	}
	if err := f.store.Prune(t.Context(), personal, "messages", 1<<30); err != nil {
		t.Fatal(err)
	}
	for _, start := range []string{"beginning", url.QueryEscape(since)} {
		a := f.send("GET", personalToken, feed+"changes_since="+start, "")
		if a.Code != 410 || a.text("error.code") != "cursor_expired" || a.text("error.type") != "gone_error" {
			t.Errorf("%s: answered %d %s", start, a.Code, a.Body)
		}
	}
}

func TestNoChangesFromTheFuture(t *testing.T) {
	f := newFixture(t)
	const future = "eyJraW5kIjoiY2hhbmdlc19zaW5jZSIsInZlcnNpb24iOjk5OTk5fQ%3D%3D" // version 99999
	a := f.get(personalToken, feed+"changes_since="+future)
	a.want("data", "[]")
	if a.text("next_changes_since") == "" {
		t.Error("next_changes_since is missing")
	}
}

func TestChangesNameSeveralConnections(t *testing.T) {
	f := newFixture(t)
	a := f.send("GET", bothToken, feed+"changes_since=beginning", "")
	a.want("error.available_connections", `[{"connection_id":"`+personal+
		`","display_name":"Personal mail"},{"connection_id":"`+work+`","display_name":"Work mail"}]`)
	a.want("error.param", `"changes_since"`)
	a.want("error.retry_with", `"connection_id"`)
}
