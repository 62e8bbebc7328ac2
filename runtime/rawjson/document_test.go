package rawjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// readAlike holds what is noted of a document to its bytes: Unambiguous notes nothing, and takes no name for known.
func readAlike(t interface {
	Helper()
	Fatalf(format string, arguments ...any)
}, document []byte,
) {
	t.Helper()
	want, wantErr := rawjson.Unambiguous(document, 100)
	read, err := rawjson.Read(document, 100)
	if !errors.Is(err, wantErr) || string(read.Text()) != string(want) {
		t.Fatalf("%s is read as %s (%v), want %s (%v)", document, read.Text(), err, want, wantErr)
	}
	if err != nil {
		return
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, document); err != nil || string(want) != compact.String() {
		t.Fatalf("%s is compacted as %s, want %s (%v)", document, want, compact.Bytes(), err)
	}
	if got, want := walked(read.Cursor()), walked(rawjson.NewCursor(want)); got != want {
		t.Fatalf("%s is walked as %s with its notes, as %s without", document, got, want)
	}
	if got, want := passed(nil, read.Cursor()), passed(nil, rawjson.NewCursor(want)); !slices.Equal(got, want) {
		t.Fatalf("%s is passed as %q with its notes, as %q without", document, got, want)
	}
}

// passed appends what a cursor passes at once: the value that it stands before, and each in it.
func passed(values []string, c rawjson.Cursor) []string {
	whole := c
	values = append(values, string(whole.Value()))
	if kind := c.Kind(); kind == rawjson.ArrayValue || kind == rawjson.ObjectValue {
		for inside := c.Enter(kind); inside && c.More(); {
			if kind == rawjson.ObjectValue {
				values = append(values, string(c.Name()))
			}
			values = passed(values, c)
			c.Value()
		}
	}
	return values
}

// spacing is the whitespace of a document: before and behind values, before and behind colons, and behind commas.
type spacing struct{ before, behind, toColon, fromColon, fromComma string }

// valueOf is a value that nests so deep.
func valueOf(depth int, gap spacing) *rapid.Generator[string] {
	names := rapid.SampledFrom([]string{`"a"`, `"b"`, `"c"`, `"\u0061"`, `"long name of a member"`})
	return rapid.Custom(func(t *rapid.T) string {
		most := 4
		if depth == 0 {
			most = 2
		}
		switch rapid.IntRange(0, most).Draw(t, "kind") {
		case 0:
			return "1" + gap.behind
		case 1:
			return `"]} :, \\\"{["`
		case 2:
			return gap.before + "{}"
		case 3:
			rows := rapid.SliceOfN(valueOf(depth-1, gap), 0, 4).Draw(t, "rows")
			return "[" + gap.before + strings.Join(rows, ","+gap.fromComma) + "]"
		}
		members := rapid.SliceOfNDistinct(names, 0, 4, rapid.ID[string]).Draw(t, "names")
		for i := range members {
			members[i] += gap.toColon + ":" + gap.fromColon + valueOf(depth-1, gap).Draw(t, "value")
		}
		return "{" + strings.Join(members, ","+gap.fromComma) + gap.behind + "}"
	})
}

// Rows that are nearly alike are read as any other document: whichever members come, go, come twice or change their kind, and
// however the document is spaced.
func TestDocumentsAreReadAlikeWithNotes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := []string{}
		for range rapid.IntRange(1, 8).Draw(t, "rows") {
			gap := rapid.SampledFrom([]spacing{
				{},
				{},
				{fromColon: " ", fromComma: " "},
				{behind: "\n"},
				{before: "\n  ", toColon: " "},
				{before: "\t", behind: "\r\n", toColon: " ", fromColon: "  ", fromComma: "\n\t"},
			}).Draw(t, "space")
			rows = append(rows, valueOf(5, gap).Draw(t, "row"))
		}
		ends := rapid.SampledFrom([]string{"", "", "\n", " \r\n"})
		readAlike(t, []byte(ends.Draw(t, "before")+"["+strings.Join(rows, ",")+"]"+ends.Draw(t, "behind")))
	})
}

// A document that ends in a new line, as package json of Go encodes it, is not copied.
func TestSpaceAroundADocumentIsLeftOut(t *testing.T) {
	document := []byte("\n " + `{"a":[1]}` + "\n")
	read, err := rawjson.Read(document, 100)
	if err != nil || string(read.Text()) != `{"a":[1]}` || &read.Text()[0] != &document[2] {
		t.Errorf("%q is read as %q: %v", document, read.Text(), err)
	}
}

// A name that comes twice is found, also in a row that begins as the one before.
func TestRepeatedNamesInRows(t *testing.T) {
	var many strings.Builder
	for i := range 40 {
		fmt.Fprintf(&many, `"name%02d":0,`, i)
	}
	for _, test := range []struct {
		second  string
		repeats bool
	}{
		{`{` + many.String() + `"b":1}`, false},
		{`{` + many.String() + `"b":1,"c":2}`, false},
		{`{` + many.String() + `"b":1,"b":2}`, true},
		{`{` + many.String() + `"name07":1}`, true},
		{`{` + many.String() + `"name39":1}`, true},
		{`{` + many.String() + `"n\u0061me39":1}`, true},
		{`{"name00":1,"name01":2,"name00":3}`, true},
		{`{"name01":1,"name00":2}`, false},
		{`{"b":{"b":1,"b":1}}`, true},
		{`[{` + many.String() + `"b":1},{"b":1}]`, false},
	} {
		document := []byte(`{"data":[{` + many.String() + `"b":{"b":1}},` + test.second + `]}`)
		if _, err := rawjson.Read(document, 100); errors.Is(err, rawjson.ErrRepeatedName) != test.repeats {
			t.Errorf("%s: %v", test.second, err)
		}
		readAlike(t, document)
	}
}

// What is noted is bounded by the document, however many values it has.
func TestSmallValuesAreNotAllNoted(t *testing.T) {
	document := []byte(`{"data":[` + strings.Repeat(`{},[],0,`, 10_000) + `{"a":[{"b":{"c":0}}]}]}`)
	readAlike(t, document)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := rawjson.Read(document, 100)
	runtime.ReadMemStats(&after)
	if took, most := after.TotalAlloc-before.TotalAlloc, 4*uint64(len(document)); err != nil || took > most {
		t.Errorf("%d bytes for a document of %d: %v", took, len(document), err)
	}
}
