package blob_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/blob"
)

// R-BLOB-1: references in lists and inner objects are found with the paths at which they stand, and all else stays as
// it was sent.
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
			if references := blob.References(fields, path); len(references) != 1 {
				t.Errorf("%s has %v at %s, want one reference", test.value, references, path)
			}
		}
	}
}
