package scan_test

import (
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// R-CLAIM-1, R-CLAIM-4: no member of a search contradicts another one, and every word of q is found, missing or named as not searched. A count
// that is not known is named.
func TestMembersAgree(t *testing.T) {
	c := newCaller(sandboxOf(t, resource.ReadsV01, "everything"), 20_000)

	cut := c.call(t, "search", `{"q":"gift for overdraft fees","limit":3}`)
	if !cut.Data.HasMore || !strings.Contains(cut.text, "has_more=true") || !strings.Contains(cut.text, "3 of ") ||
		!strings.Contains(cut.text, `try: search {"q":"gift for overdraft fees","limit":`) {
		t.Errorf("hits that are not shown: %s", cut.text)
	}
	for _, word := range []string{"gift", "overdraft", "fees"} {
		if !strings.Contains(cut.text, `"`+word+`"`) {
			t.Errorf("%s is neither found nor missing: %s", word, cut.text)
		}
	}
	if !strings.Contains(cut.text, `Not searched alone: "for".`) || !strings.Contains(cut.Note, `Not searched alone: "for".`) {
		t.Errorf("a stop word is not named: %s", cut.text)
	}

	filtered := c.call(t, "search", `{"q":"invoice","streams":["messages"],"filter":{"is_seen":true},"limit":1}`)
	if filtered.Reading.Complete || strings.Contains(filtered.text, "recall=complete") {
		t.Errorf("an incomplete reading with a complete recall: %s", filtered.text)
	}

	const counted = `{"stream":"messages","connection_id":"cin_gmail_personal","filter":{"is_seen":false},"limit":2,"count":"estimated"}`
	const unknown = "The count is unknown"
	rows := c.call(t, "query_records", counted)
	if rows.Data.Meta.Count != nil || !strings.Contains(rows.text, unknown) || !strings.Contains(rows.Reading.Note, unknown) {
		t.Errorf("no count, and no word about it: %s", rows.text)
	}
}
