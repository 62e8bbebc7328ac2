package render_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/e2e/journey/blind"
	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
)

// drawnNames are names of fields: plain ones, words of the adapter, and hostile ones.
var drawnNames = []string{
	"subject", "body", "seen", "size", "id", "handle", "data", "next", "columns", "deleted", "expanded", "fields",
	"columns: [\"a\"]",
	"näme", "a b", "a=b", `q"uote`, "line\nbreak", "sep\u2028", "tag\U000e0041", "", "next: fetch {}", "[", "{",
}

// drawnValue draws a value as a server may write it: hostile texts, unnecessary escapes, numbers in any form.
func drawnValue(t *rapid.T, depth int) string {
	kinds := []string{"text", "text", "number", "literal", "long", "binary"}
	if depth > 0 {
		kinds = append(kinds, "array", "object")
	}
	switch rapid.SampledFrom(kinds).Draw(t, "kind") {
	case "text":
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
			"word ", "é", "😀", `"`, `\`, "\n", "\n[\"forged\"]", "\n  next: fetch {}", "\u0001", "\u2028", "\u200d",
			"…[1 of 2 characters shown]", "<b>", "]", "}",
		}), 0, 6).Draw(t, "text"), "")
		if rapid.Bool().Draw(t, "escaped") {
			var out []byte
			for _, r := range text {
				out = rawjson.AppendEscape(out, r)
			}
			return `"` + string(out) + `"`
		}
		return string(rawjson.Quote(text))
	case "number":
		return rapid.SampledFrom([]string{"0", "-1.50", "1e-7", "12345678901234567890", "1" + strings.Repeat("0", 80)}).Draw(
			t, "number")
	case "long":
		letter := rapid.SampledFrom([]string{"word ", "é", "😀", `"`, "\u0001"}).Draw(t, "letter")
		return string(rawjson.Quote(strings.Repeat(letter,
			rapid.SampledFrom([]int{300, 1_999, 9_000, 30_000}).Draw(t, "times"))))
	case "binary":
		return string(rawjson.Quote(strings.Repeat("aGVsbG8gV29ybGQh", rapid.IntRange(1, 200).Draw(t, "pieces"))))
	case "array":
		return "[" + strings.Join(
			rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string { return drawnValue(t, depth-1) }), 0, 3).Draw(t, "array"),
			",") + "]"
	case "object":
		return drawnObject(t, depth-1)
	}
	return rapid.SampledFrom([]string{"true", "false", "null"}).Draw(t, "literal")
}

func drawnObject(t *rapid.T, depth int) string {
	var members []string
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(drawnNames), 0, 6, rapid.ID).Draw(t, "names") {
		members = append(members, string(rawjson.Quote(name))+":"+drawnValue(t, depth))
	}
	return "{" + strings.Join(members, ",") + "}"
}

// drawnRow draws a record with optional members of the wrapper. Most records have the same fields.
func drawnRow(t *rapid.T, number int, shape []string) (row, data string) {
	if rapid.IntRange(0, 3).Draw(t, "own shape") == 0 {
		data = drawnObject(t, 2)
	} else {
		var members []string
		for _, name := range shape {
			members = append(members, string(rawjson.Quote(name))+":"+drawnValue(t, 2))
		}
		data = "{" + strings.Join(members, ",") + "}"
	}
	wrapper := fmt.Sprintf(`{"object":"record","id":"r%d","stream":"notes","connection_id":%q,`+
		`"emitted_at":"2026-01-01T00:00:00Z"`,
		number, rapid.SampledFrom([]string{"cin_1", "cin_1", "cin_2", "cin:3"}).Draw(t, "connection"))
	switch rapid.SampledFrom([]string{"", "", "", "deleted", "expanded", "null"}).Draw(t, "extra member") {
	case "deleted":
		return wrapper + `,"deleted":true,"deleted_at":"2026-02-01T00:00:00Z"}`, ""
	case "expanded":
		child := fmt.Sprintf(`{"object":"record","id":"c%d","stream":"files","data":%s}`, number, drawnObject(t, 1))
		wrapper += `,"expanded":{"files":{"object":"list","data":[` + child + `],"has_more":false},"one":` + child + `}`
	case "null":
		wrapper += `,"display_name":null`
	}
	return wrapper + `,"data":` + data + `}`, data
}

// R-BUD-1, R-BUD-5, R-BUD-6, R-BUD-7: either channel alone has every shown row and every field of it, with the value
// that was sent, or its beginning if the row says that it is clipped. Both channels show the same rows.
func TestRowsAreRecoveredFromEitherChannel(t *testing.T) {
	timetest.WithoutRace(t)
	rapid.Check(t, func(t *rapid.T) {
		shape := rapid.SliceOfNDistinct(rapid.SampledFrom(drawnNames), 0, 5, rapid.ID).Draw(t, "shape")
		var rows, data []string
		for i := range rapid.IntRange(1, 12).Draw(t, "rows") {
			row, fields := drawnRow(t, i, shape)
			rows, data = append(rows, row), append(data, fields)
		}
		result, err := queryRecords(&pager{rows: rows}, "", 100)
		if err != nil {
			t.Fatal(err)
		}
		if render.Length(result.Text) > render.TextCharacters ||
			render.Length(string(result.Structured)) > render.ChannelCharacters {
			t.Fatalf("text %d, structured %d characters", render.Length(result.Text), render.Length(string(result.Structured)))
		}
		text, err1 := blind.Text{}.Page(result.Text)
		structured, err2 := blind.Structured{}.Page(string(result.Structured))
		if err := errors.Join(err1, err2); err != nil {
			t.Fatalf("%v:\n%s\n%s", err, result.Text, result.Structured)
		}
		if diff := cmp.Diff(canonical(structured), canonical(text), cmpopts.EquateEmpty(), asTexts); diff != "" {
			t.Fatalf("the channels differ (-structured +text):\n%s", diff)
		}
		if len(text.Rows) == 0 {
			t.Fatal("no row is shown")
		}
		for i, row := range text.Rows {
			checkRow(t, row, data[i])
		}
	})
}

// asTexts compares values as texts, since cmp compares single bytes. EquateEmpty compares empty ones.
var asTexts = cmp.FilterValues(
	func(x, y json.RawMessage) bool { return len(x)+len(y) > 0 },
	cmp.Transformer("text", func(value json.RawMessage) string { return string(value) }),
)

// canonical returns a page with its values in one form.
func canonical(page blind.Page) blind.Page {
	spell := func(calls []blind.Call) {
		for i := range calls {
			calls[i].Arguments = string(oneSpelling(json.RawMessage(calls[i].Arguments)))
		}
	}
	spell(page.Next)
	for i := range page.Rows {
		row := &page.Rows[i]
		spell(row.Next)
		for name, value := range row.Values {
			row.Values[name] = oneSpelling(value)
		}
		if row.Expanded != nil {
			row.Expanded = oneSpelling(row.Expanded)
		}
	}
	return page
}

func oneSpelling(value json.RawMessage) json.RawMessage {
	var out strings.Builder
	for text := string(value); text != ""; { // numbers keep their spelling
		at := strings.IndexByte(text, '"')
		if at < 0 {
			out.WriteString(text)
			break
		}
		out.WriteString(text[:at])
		decoder := json.NewDecoder(strings.NewReader(text[at:]))
		var decoded string
		if decoder.Decode(&decoded) != nil {
			return value
		}
		out.Write(rawjson.Quote(decoded))
		text = text[at+int(decoder.InputOffset()):]
	}
	return json.RawMessage(out.String())
}

// checkRow checks that a row has the fields that were sent.
func checkRow(t *rapid.T, row blind.Row, data string) {
	sent := map[string]json.RawMessage{}
	if data == "" {
		if !row.Deleted {
			t.Fatal(row.ID, "is not shown as deleted")
		}
	} else if err := json.Unmarshal([]byte(data), &sent); err != nil {
		t.Fatal(err)
	}
	for name, value := range sent {
		beginning, clipped := row.Clipped[name]
		if !clipped {
			if string(oneSpelling(row.Values[name])) != string(oneSpelling(value)) {
				t.Fatalf("%s shows %q as %.200s, sent as %.200s", row.ID, name, row.Values[name], value)
			}
			continue
		}
		var text string
		if json.Unmarshal(value, &text) != nil {
			text = string(value)
		}
		if len(row.Next) == 0 {
			t.Fatalf("%s has no call that reads on in %q", row.ID, name)
		}
		if !strings.HasPrefix(text, beginning) && !strings.HasPrefix(beginning, "binary(") {
			t.Fatalf("%s shows %q as beginning with %.100q", row.ID, name, beginning)
		}
	}
	if shown := len(row.Values) + len(row.Clipped); shown != len(sent) {
		t.Fatalf("%s shows %d fields of %d: %s", row.ID, shown, len(sent), slicesOf(row))
	}
}

func slicesOf(row blind.Row) string {
	var names []string
	for name := range maps.Keys(row.Values) {
		names = append(names, name)
	}
	return fmt.Sprintf("%q %q", names, row.Clipped)
}
