package render_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
)

// R-BUD-3, R-BUD-6: a text of more than 8,000 characters is clipped in place, to 2,000 or more, before a page loses
// rows; the call next to it starts where the shown text ends. Other texts are whole.
func TestLongTextsAreClippedBeforeRowsAreLost(t *testing.T) {
	sizes := []int{500, 60_000, 7_900, 500, 30_000, 500}
	server := &shelf{rows: shelve(1, sizes...)}
	all := follow(t, sessionOver(t, server.open(t)), "query_records", `{"stream":"notes","limit":6}`, 10)
	everyOnce(t, server, all.read)
	if all.calls != 1 || len(all.pages[0].Data.Data) != 6 {
		t.Fatalf("%d calls, %d rows of the first page", all.calls, len(all.pages[0].Data.Data))
	}
	page := all.pages[0]
	for i, row := range page.Data.Data {
		whole := strings.Repeat("word ", sizes[i]/5)
		if sizes[i] <= 8_000 && row.Data.Body != whole {
			t.Errorf("row %d of %d characters is not whole: %.80q", i, sizes[i], row.Data.Body)
		}
	}
	for i, row := range page.Data.Data {
		if sizes[i] <= 8_000 {
			if len(row.Next) > 0 {
				t.Errorf("row %d is read on with %s", i, row.Next)
			}
			continue
		}
		var shown, whole int
		_, mark, _ := strings.Cut(row.Data.Body, "…")
		if _, err := fmt.Sscanf(mark, "[%d of %d characters shown]", &shown, &whole); err != nil ||
			whole != sizes[i] || shown < 2_000 ||
			row.Data.Body != strings.Repeat("word ", sizes[i]/5)[:shown]+"…"+mark {
			t.Errorf("the text of row %d ends in %q: %v", i, row.Data.Body[len(row.Data.Body)-60:], err)
		}
		has(t, row.Next, "read_record_field",
			fmt.Sprintf(`{"field_path":"body","id":%q,"limit_chars":16384,"offset_chars":%d}`, row.Handle, shown))
	}
}

// R-BUD-2, R-BUD-6: the clipped beginning of a text in any alphabet is exact, and the call next to it starts at its
// end, in code points as read_record_field counts them.
func TestClippedTextsAreExact(t *testing.T) {
	timetest.WithoutRace(t)
	rapid.Check(t, func(t *rapid.T) {
		texts := make([]string, rapid.IntRange(1, 20).Draw(t, "rows"))
		rows := make([]string, len(texts))
		for i := range texts {
			letter := rapid.SampledFrom([]string{"word ", "é", "😀", `"`, "\n", "\u0001", "<b>"}).Draw(t, "letter")
			texts[i] = strings.Repeat(letter, rapid.IntRange(1, 20_000).Draw(t, "times"))
			quoted, _ := json.Marshal(texts[i])
			rows[i] = fmt.Sprintf(`{"object":"record","id":"r%d","stream":"notes","connection_id":"cin_1","data":{"body":%s}}`,
				i, quoted)
		}
		result, err := queryRecords(&pager{rows: rows}, "", 100)
		if err != nil {
			t.Fatal(err)
		}
		if render.Length(result.Text) > render.TextCharacters ||
			render.Length(string(result.Structured)) > render.ChannelCharacters {
			t.Fatal("a channel is beyond its bound")
		}
		var page followedPage
		if err := json.Unmarshal(result.Structured, &page); err != nil {
			t.Fatal(err)
		}
		for i, row := range page.Data.Data {
			whole := []rune(texts[i])
			if row.Data.Body == texts[i] {
				if len(row.Next) > 0 {
					t.Fatal("row", i, "is whole and read on with", row.Next)
				}
				continue
			}
			shown := len([]rune(row.Data.Body[:strings.LastIndex(row.Data.Body, "…")]))
			mark := fmt.Sprintf("…[%d of %d characters shown]", shown, len(whole))
			next := fmt.Sprintf(`{"field_path":"body","id":%q,"offset_chars":%d,"limit_chars":16384}`, row.Handle, shown)
			if row.Data.Body != string(whole[:shown])+mark || len(row.Next) != 1 ||
				!sameJSON(row.Next[0].Arguments, json.RawMessage(next)) {
				t.Fatal("row", i, "of", len(whole), "characters is clipped at", shown, "and read on with", row.Next)
			}
			if len(page.Data.Data) > 1 && (len(whole) <= 8_000 || shown < 2_000) {
				t.Fatal("row", i, "of", len(whole), "characters is left out with", shown)
			}
		}
	})
}
