package rawjson_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
)

func TestReadMembersKeepsOrderSpellingAndDuplicates(t *testing.T) {
	got, err := rawjson.ReadMembers([]byte(` {"z":1.10, "a":{"b": [1e-7]},"z":12345678901234567890 } `))
	if err != nil {
		t.Fatal(err)
	}
	want := rawjson.Object{
		{Name: "z", Value: json.RawMessage("1.10")},
		{Name: "a", Value: json.RawMessage(`{"b":[1e-7]}`)},
		{Name: "z", Value: json.RawMessage("12345678901234567890")},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestReadMembersRefusesOtherValues(t *testing.T) {
	for _, text := range []string{"[]", "1", `"a"`, "null"} {
		if members, err := rawjson.ReadMembers([]byte(text)); !errors.Is(err, rawjson.ErrNotObject) {
			t.Errorf("%s: got %v and %v", text, members, err)
		}
	}
	for _, text := range []string{
		"", "{", `{"a"}`, `{"a":}`, `{"a":1,}`, "{1:2}", "{}x", "{}{}", "{} 1",
		"{\"a\":\"\xff\"}",
	} {
		if members, err := rawjson.ReadMembers([]byte(text)); !errors.Is(err, rawjson.ErrInvalid) {
			t.Errorf("%s: got %v", text, members)
		}
	}
}
