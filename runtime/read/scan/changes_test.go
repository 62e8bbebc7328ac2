package scan_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/e2e/sandboxtest"
	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/sandbox"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
	"github.com/pdppmcp/pdpp-mcp/sandbox/sample"
)

// bookmark returns the position at the end of a page of changes.
func bookmark(t *testing.T, c caller, arguments string) (page, string) {
	t.Helper()
	result, err := c.try(t, "query_records", arguments)
	if err != nil {
		t.Fatal(err)
	}
	var read struct {
		Data struct {
			Bookmark string `json:"next_changes_since"`
		} `json:"data"`
	}
	if err := json.Unmarshal(result.Structured, &read); err != nil {
		t.Fatal(err)
	}
	return pageOf(t, result), read.Data.Bookmark
}

// R-TIME-5: one cursor has the position in every stream; it starts now, and deletions are included.
func TestChangesOfEveryStream(t *testing.T) {
	box, url := sandboxtest.Serve(t, sandbox.Options{PublicURL: provider, Seed: 1})
	client, err := rs.NewClient(rs.Options{
		BaseURL: url, ProviderURL: provider,
		Bearer: rs.NewSecret(box.Tokens()["everything"]),
	})
	if err != nil {
		t.Fatal(err)
	}
	c := newCaller(&watched{Reader: client}, 20_000)
	first, since := bookmark(t, c, `{"stream":"*","changes_since":"now"}`)
	if len(first.Data.Data) != 0 || since == "" || len(since) > 2_000 {
		t.Fatalf("%d rows, a cursor of %d characters", len(first.Data.Data), len(since))
	}
	if err := box.Store().Delete(t.Context(), "cin_gmail_personal", "messages", "p-msg-001"); err != nil {
		t.Fatal(err)
	}
	for _, record := range sample.Dataset(1).Records {
		if record.ConnectionID == sample.TeamChat && record.Stream == "chat_messages" && record.DeletedAt.IsZero() {
			if err := box.Store().Put(t.Context(), record); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	changed, next := bookmark(t, c, `{"stream":"*","changes_since":"`+since+`"}`)
	if handles := changed.handles(t); len(handles) != 2 || !strings.Contains(changed.text, `,{"deleted":true}]`) {
		t.Errorf("changes %q:\n%s", handles, changed.text)
	}
	if none, _ := bookmark(t, c, `{"stream":"*","changes_since":"`+next+`"}`); len(none.Data.Data) != 0 {
		t.Errorf("again %s", none.text)
	}
}

// R-TIME-5, R-BUD-3: the pages of all changes are the feeds of the streams, each change once, whatever the limit.
func TestPagesOfAllChanges(t *testing.T) {
	timetest.WithoutRace(t)
	c := newCaller(sandboxOf(t, "v0.1", "everything"), 20_000)
	whole := slices.Sorted(slices.Values(c.all(t, `{"stream":"*","changes_since":"beginning","limit":100}`)))
	if diff := cmp.Diff(whole,
		slices.Sorted(slices.Values(c.all(t, `{"stream":"*","changes_since":"beginning","limit":37}`)))); diff != "" {
		t.Errorf("pages of 100 and of 37 (-100 +37):\n%s", diff)
	}
	seen := map[string]bool{}
	for _, handle := range whole {
		if seen[handle] {
			t.Fatalf("%s is shown twice", handle)
		}
		seen[handle] = true
	}
	events := c.all(t, `{"stream":"events","connection_id":"cin_calendar","changes_since":"beginning","limit":100}`)
	for _, handle := range events {
		if !seen[handle] {
			t.Errorf("%s is missing", handle)
		}
	}
}

// R-TIME-5: a source that ended or failed keeps its position and is named; the others continue.
func TestChangesWithoutASource(t *testing.T) {
	c := newCaller(sandboxOf(t, "v0.1", "everything"), 20_000)
	_, since := bookmark(t, c, `{"stream":"*","changes_since":"now"}`)
	narrow := newCaller(sandboxOf(t, "v0.1", "gmail_personal"), 20_000)
	read, kept := bookmark(t, narrow, `{"stream":"*","changes_since":"`+since+`"}`)
	if !strings.Contains(read.text, "positions are kept: accounts (cin_fjordbank), attachments (cin_gmail_work)") ||
		read.Reading.Complete {
		t.Errorf("reading %+v:\n%s", read.Reading, read.text)
	}
	if again, _ := bookmark(t, c, `{"stream":"*","changes_since":"`+kept+`"}`); strings.Contains(again.text,
		"positions are kept") || !again.Reading.Complete {
		t.Errorf("with all again: %s", again.text)
	}
	for _, wrong := range []string{"yesterday", "changes.!", "changes.AAAA", since[:len(since)-4]} {
		if _, err := c.try(t, "query_records", fmt.Sprintf(`{"stream":"*","changes_since":%q}`, wrong)); err == nil {
			t.Errorf("%s is taken", wrong)
		}
	}
}

// R-QRY-6: the cursor of a feed's page continues it, also next to the changes_since of the first call.
func TestCursorOfAFeedWithItsBeginning(t *testing.T) {
	c := newCaller(sandboxOf(t, resource.ReadsV01, "everything"), 20_000)
	for _, limit := range []string{"7", "100"} { // pages of 100 do not fit a result
		arguments := `{"stream":"messages","connection_id":"cin_gmail_work","changes_since":"beginning","limit":` + limit
		want := c.all(t, arguments+`}`)
		var got []string
		for read := c.call(t, "query_records", arguments+`}`); ; read = c.call(t, "query_records",
			arguments+`,"cursor":`+encode(read.Data.NextCursor)+`}`) {
			got = append(got, read.handles(t)...)
			if !read.Data.HasMore || len(got) > len(want) {
				break
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("limit %s (-calls +cursors):\n%s", limit, diff)
		}
	}
}
