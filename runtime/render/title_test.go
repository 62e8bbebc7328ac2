package render_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/runtime/read/scan"
)

// fataler is a test or a property.
type fataler interface{ Fatal(...any) }

type shownHit struct{ ID, Title, URL, Snippet, Time string }

// foundHit renders a search with one hit, and returns the hit in structured output.
func foundHit(t fataler, members map[string]any) (hit shownHit, text string) {
	body, err := json.Marshal(map[string]any{"object": "list", "data": []any{members}})
	if err != nil {
		t.Fatal(err)
	}
	result, err := runSearch(context.Background(), env, responded("/v1/search?q=overdraft", string(body)),
		scan.HitsInput{})
	if err != nil {
		t.Fatal(err)
	}
	var found struct {
		Results []shownHit
	}
	if err := json.Unmarshal(result.Structured, &found); err != nil {
		t.Fatal(err)
	}
	return found.Results[0], result.Text
}

// R-SEARCH-7: whatever the source sends, a title is on one line, and does not contain the snippet.
func TestTitleNeverContainsTheSnippet(t *testing.T) {
	words := rapid.SampledFrom([]string{
		"Overdraft", "notice", "<mark>overdraft</mark>", "[overdraft]", "number 5", "…",
		"Ünïcode", "\n", "é",
	})
	sentence := rapid.Custom(
		func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(words, 1, 6).Draw(t, "words"), " ") })
	rapid.Check(t, func(t *rapid.T) {
		snippet := sentence.Draw(t, "snippet")
		title := sentence.Draw(t, "title")
		if rapid.Bool().Draw(t, "around") {
			title = sentence.Draw(t, "before") + " " + snippet + " " + title
		}
		hit, _ := foundHit(t, map[string]any{
			"stream": "messages", "record_key": "m1", "connection_id": "cin_1", "emitted_at": "2026-05-01T00:00:00Z",
			"title": title, "data": map[string]any{"subject": sentence.Draw(t, "subject")},
			"snippet": map[string]any{"text": snippet},
		})
		shown := strings.NewReplacer("<mark>", "", "</mark>", "").Replace(hit.Snippet)
		shown = strings.ToLower(strings.Join(strings.Fields(shown), " "))
		said := strings.ToLower(hit.Title)
		if said == "" || strings.Contains(hit.Title, "\n") || strings.Contains(said, "<mark>") {
			t.Fatalf("title %q", hit.Title)
		}
		if strings.Trim(shown, " …") != "" && (strings.Contains(said, shown) || strings.Contains(shown, said)) {
			t.Fatalf("title %q repeats the snippet %q", hit.Title, hit.Snippet)
		}
	})
}

// R-SEARCH-7: the source's title, otherwise label, stream and the time at which something was written or
// happened, and only without any that at which it was added, which says so and is no hit's time.
func TestTitles(t *testing.T) {
	for _, test := range []struct {
		name    string
		members map[string]any
		want    string
	}{
		{"the source's own", map[string]any{"title": "Budget", "snippet": "an overdraft"}, "Budget"},
		{"on one line", map[string]any{"title": " Budget\n of\tMarch "}, "Budget of March"},
		{"of its fields", map[string]any{"data": map[string]any{"subject": "Budget"}}, "Budget"},
		{
			"the next one when the first repeats the snippet",
			map[string]any{"title": "An overdraft", "subject": "Budget", "snippet": "an overdraft"},
			"Budget",
		},
		{
			"none that a longer snippet begins with",
			map[string]any{"title": "Overdraft", "snippet": "overdraft of twenty"},
			"Mail / messages / added 2026-05-01",
		},
		{"none that repeats the evidence", map[string]any{
			"title": "Overdraft", "match_windows": []any{map[string]any{"field": "subject", "text": "[overdraft]"}},
		}, "Mail / messages / added 2026-05-01"},
		{"sent, in another zone", map[string]any{"sent_at": "2026-01-01T00:30:00.5+09:00"}, "Mail / messages / 2025-12-31"},
		{"sent", map[string]any{"data": map[string]any{"sent_at": "2026-01-01"}}, "Mail / messages / 2026-01-01"},
		{"authored", map[string]any{"authored_at": "2026-01-02"}, "Mail / messages / 2026-01-02"},
		{
			"sent before created",
			map[string]any{"created_at": "2026-01-04", "sent_at": "2026-01-03"},
			"Mail / messages / 2026-01-03",
		},
		{
			"the record's own time before the wrapper's",
			map[string]any{"sent_at": "2026-01-09", "data": map[string]any{"date": "2026-01-08"}},
			"Mail / messages / 2026-01-08",
		},
		{
			"created, in seconds",
			map[string]any{"data": map[string]any{"created_at": 1767225600}},
			"Mail / messages / 2026-01-01",
		},
		{
			"created, in milliseconds",
			map[string]any{"data": map[string]any{"created_at": 1767225600123}},
			"Mail / messages / 2026-01-01",
		},
		{"a number that is no time", map[string]any{"data": map[string]any{"date": 7}}, "Mail / messages / added 2026-05-01"},
		{"nothing that is not the snippet", map[string]any{
			"snippet": "Mail", "display_name": "Mail", "stream": "mail", "emitted_at": "",
		}, "Untitled"},
	} {
		t.Run(test.name, func(t *testing.T) {
			members := map[string]any{
				"stream": "messages", "record_key": "m1", "display_name": "Mail",
				"emitted_at": "2026-05-01",
			}
			for name, value := range test.members {
				members[name] = value
			}
			hit, text := foundHit(t, members)
			if hit.Time == "2026-05-01" || strings.Contains(text, "2026-05-01") {
				t.Errorf("the time of ingestion is shown as the time of the record: %q\n%s", hit.Time, text)
			}
			if hit.Title != test.want {
				t.Errorf("title %q, want %q", hit.Title, test.want)
			}
			// text has the parts of a made title in columns, and the stream in the id
			for _, part := range strings.Split(test.want, " / ") {
				if part != "Untitled" && !strings.HasPrefix(part, "added ") && !strings.Contains(text, `"`+part) &&
					!strings.Contains(text, `["`+part+`:m1"`) {
					t.Errorf("text lacks %q:\n%s", part, text)
				}
			}
		})
	}
}

// R-FIND-4: the amount of a hit has its currency.
func TestTheAmountOfAHitHasItsCurrency(t *testing.T) {
	_, text := foundHit(t, map[string]any{
		"stream": "transactions", "record_key": "t1", "connection_id": "cin_1", "emitted_at": "2026-05-01T00:00:00Z",
		"data":    map[string]any{"amount": -15, "currency": "EUR", "payee": "Fjordbank"},
		"snippet": map[string]any{"text": "overdraft"},
	})
	if !strings.Contains(text, `"-15 EUR"`) {
		t.Errorf("the amount lacks its currency: %s", text)
	}
}
