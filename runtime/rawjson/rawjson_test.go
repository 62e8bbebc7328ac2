package rawjson_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// Members keep their order, their spelling and their duplicates.
func TestParseObjectKeepsSpelling(t *testing.T) {
	document := `{ "b" : 1.10 , "a":[1, 2,{"x":"]}"}], "b":"\u00e9", "é":null, "n":12345678901234567890,"o":{} }`
	compact, err := rawjson.Compact([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	object, ok := rawjson.ParseObject(compact)
	if !ok {
		t.Fatal("not an object")
	}
	want := `{"b":1.10,"a":[1,2,{"x":"]}"}],"b":"\u00e9","é":null,"n":12345678901234567890,"o":{}}`
	if got := string(object.Encode()); got != want {
		t.Errorf("%s, not %s", got, want)
	}
	if object.Get("é") != nil || object.Get("none") != nil || string(object.Get("b")) != "1.10" {
		t.Error("Get")
	}
}

// Quote keeps what HTML would escape.
func TestQuote(t *testing.T) {
	if got := string(rawjson.Quote("<a & b>\n\"q\"\xff")); got != `"<a & b>\n\"q\"\ufffd"` {
		t.Error(got)
	}
}

// Every checked document is taken apart and written again with the same meaning, at every level.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{}`, `[]`, `{"a":[{"b":"\\\""},-1e5,true]}`, `[[],{},"",null]`, `"x"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		compact, err := rawjson.Compact(document)
		if err != nil {
			return
		}
		if object, ok := rawjson.ParseObject(compact); ok != (compact[0] == '{') || ok && !json.Valid(object.Encode()) {
			t.Errorf("object of %s", document)
		}
		if elements, ok := rawjson.Elements(compact); ok != (compact[0] == '[') || ok && !bytes.Equal(rawjson.Array(elements), compact) {
			t.Errorf("array of %s", document)
		}
	})
}
