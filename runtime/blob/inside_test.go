package blob_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/blob"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// R-BLOB-1: references in lists and inner objects are found with the paths at which they stand, and all else stays as it was sent.
func TestReferencesInside(t *testing.T) {
	const one, two = `{"blob_id":"b1","size_bytes":1}`, `{"blob_id":"b2","size_bytes":2,"filename":"ä \"2\".csv"}`
	deep := strings.Repeat(`[`, 5) + one + strings.Repeat(`]`, 5)
	for _, test := range []struct{ value, want, paths string }{
		{one, `"b1"`, "f"},
		{`[` + one + `, ` + two + `]`, `["b1","b2"]`, "f.0 f.1"},
		{`[1.0, {"name" : "x", "blob_ref":` + two + `}, null]`, `[1.0,{"name":"x","blob_ref":"b2"},null]`, "f.1.blob_ref"},
		{`{"parts":[[` + one + `]],"n":1e2}`, `{"parts":[["b1"]],"n":1e2}`, "f.parts.0.0"},
		{`{"a.b":` + one + `}`, `{"a.b":` + one + `}`, ""},
		{`[{"blob_id":"b1"}, ` + one + `]`, `[{"blob_id":"b1"},"b1"]`, "f.1"},
		{deep, deep, ""},
		{`"\"blob_id\""`, `"\"blob_id\""`, ""},
		{`[ "blob_id" ]`, `[ "blob_id" ]`, ""},
	} {
		var paths []string
		got := blob.Replace("f", rawjson.Value(test.value), func(path string, reference blob.Reference) rawjson.Value {
			paths = append(paths, path)
			return rawjson.Quote(reference.ID)
		})
		if found := strings.Join(paths, " "); string(got) != test.want || found != test.paths {
			t.Errorf("%s becomes %s with %q, want %s with %q", test.value, got, found, test.want, test.paths)
		}
		for _, path := range paths {
			fields, _ := rawjson.ParseObject(fmt.Appendf(nil, `{"f":%s}`, test.value))
			if _, refers := blob.ParseReference(blob.Inside(fields, path)); !refers {
				t.Errorf("%s has no reference at %s", test.value, path)
			}
		}
	}
}

// A path leads to one value or to none, and to a field with dots in its own name before it leads into another.
func TestPathsInside(t *testing.T) {
	fields, _ := rawjson.ParseObject(json.RawMessage(`{"a":{"b":[1,{"c":2}]},"a.b":3,"l":[4]}`))
	for path, want := range map[string]string{
		"a.b": "3", "a.b.1.c": "2", "a.b.0": "1", "l.0": "4",
		"l.1": "", "l.00": "", "l.-1": "", "l.+0": "", "l.x": "", "l": "[4]", "a.b.0.c": "", "z": "", "a.": "", "l.": "", ".": "",
	} {
		if got := string(blob.Inside(fields, path)); got != want {
			t.Errorf("at %q stands %s, want %s", path, got, want)
		}
	}
}
