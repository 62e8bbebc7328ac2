package journey

import (
	"database/sql"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
	"github.com/pdppmcp/pdpp-mcp/sandbox/sample"
	"github.com/pdppmcp/pdpp-mcp/sandbox/store"
)

// longTextBytes is the least that the long text must have.
const longTextBytes = 200_000

// R-FETCH-4, R-WIN-2, R-HAND-7: from a search through fetch to the end of a text of 200 kB, which comes out
// byte for byte.
func searchToLongText(t *testing.T, v *traveller) {
	long, err := v.LongestText(t.Context(), sample.LongLetterWords)
	if err != nil {
		t.Fatal(err)
	}
	want, longest := "", ""
	o := oracle{t: t, db: v.provider.Box.Store().DB()}
	var s statement
	s.add(`SELECT connection_id || '/' || stream || ':' || key, json_extract(data, '$.body_text') FROM record
		WHERE stream = 'message_bodies' AND data LIKE '%` + sample.LongLetterWords +
		`%' ORDER BY length(json_extract(data, '$.body_text')) DESC LIMIT 1`)
	o.each(t.Context(), &s, func(rows *sql.Rows) error { return rows.Scan(&longest, &want) })
	if len(want) < longTextBytes {
		t.Fatalf("the longest text has %d bytes, too few", len(want))
	}
	if long.ID != longest {
		t.Errorf("the reader takes %s for the longest text, SQL %s", long.ID, longest)
	}
	if long.Text != want {
		at := 0
		for at < min(len(want), len(long.Text)) && want[at] == long.Text[at] {
			at++
		}
		t.Errorf("%d bytes in %d windows differ from the %d stored ones at byte %d", len(long.Text),
			long.Windows, len(want), at)
	}
	v.accepted(t)
}

// R-ERR-5, R-HAND-6: an id that two connections hold is refused with the candidates, and answered with
// each of them.
func ambiguousConnection(t *testing.T, v *traveller) {
	legacy := "messages:" + sample.SharedID
	both := []string{sample.PersonalMail, sample.WorkMail}
	t.Run("fetch", func(t *testing.T) {
		answers := v.choose(t, "fetch", map[string]any{"id": legacy}, both)
		for connectionID, seen := range answers {
			document, err := v.Document(seen)
			if err != nil {
				t.Fatal(err)
			}
			subject := v.textField(t, connectionID, "subject")
			if document.ID != legacy || !strings.Contains(document.Text, subject) {
				t.Errorf("%s gives document %s without %q", connectionID, document.ID, subject)
			}
		}
	})
	t.Run("read_record_field", func(t *testing.T) {
		for connectionID, seen := range v.choose(t, "read_record_field",
			map[string]any{"id": legacy, "field_path": "subject"}, both) {
			window, err := v.Window(seen)
			if err != nil {
				t.Fatal(err)
			}
			if want := v.textField(t, connectionID, "subject"); window.Text != want {
				t.Errorf("%s gives %q, stored is %q", connectionID, window.Text, want)
			}
		}
	})
	t.Run("schema", func(t *testing.T) {
		v.choose(t, "schema", map[string]any{"stream": "messages", "detail": "full"}, both)
	})
}

// choose checks what is offered, and that each choice reached the resource server.
func (v *traveller) choose(t *testing.T, tool string, arguments map[string]any, want []string) map[string]string {
	t.Helper()
	refusal, answers, err := v.Choose(t.Context(), tool, arguments)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(refusal.Code, "ambiguous_") || refusal.RetryWith != "connection_id" {
		t.Errorf("refused with %s, to retry with %q", refusal.Code, refusal.RetryWith)
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(answers))); diff != "" {
		t.Errorf("offered connections (-want +seen):\n%s", diff)
	}
	requests := v.accepted(t, http.StatusConflict)
	for _, connectionID := range want {
		if !slices.ContainsFunc(requests, func(r Request) bool {
			return r.Status == http.StatusOK &&
				(strings.Contains(r.URI, "connection_id="+connectionID) || r.Bearer == v.token+"/"+connectionID)
		}) {
			t.Errorf("the resource server did not see %s in %v", connectionID, requests)
		}
	}
	return answers
}

// textField returns a text of the shared message as it is stored.
func (v *traveller) textField(t *testing.T, connectionID, field string) string {
	t.Helper()
	entry, err := v.provider.Box.Store().Record(t.Context(),
		store.Selection{ConnectionID: connectionID, Stream: "messages"}, sample.SharedID)
	if err != nil {
		t.Fatal(err)
	}
	var data map[string]json.RawMessage
	var text string
	if err := json.Unmarshal(entry.Data, &data); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data[field], &text); err != nil {
		t.Fatal(err)
	}
	return text
}

func recordNamed(connectionID, stream, key string) func(catalog.Record) bool {
	return func(r catalog.Record) bool {
		return r.ConnectionID == connectionID && r.Stream == stream && r.Key == key
	}
}
