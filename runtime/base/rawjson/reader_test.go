package rawjson_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
)

func TestReadObject(t *testing.T) {
	for document, want := range map[string]error{
		` {"a": {"b": [1]}} `: nil,
		`{"a":1,"\u0061":2}`:  rawjson.ErrRepeatedName,
		`{"a":{"b":1,"b":2}}`: rawjson.ErrRepeatedName,
		`{"a":{"b":[[1]]}}`:   rawjson.ErrTooDeep,
		`[1]`:                 rawjson.ErrNotObject,
		`{"a":1} {}`:          rawjson.ErrInvalid,
		"{\"a\":\"\xff\"}":    rawjson.ErrInvalid,
		``:                    rawjson.ErrInvalid,
	} {
		object, err := rawjson.ReadObject([]byte(document), 3)
		if !errors.Is(err, want) || (err == nil) != (object != nil) {
			t.Errorf("%s gives %v and %v, want %v", document, object, err, want)
		}
	}
}

func TestReader(t *testing.T) {
	object, err := rawjson.ReadObject([]byte(`{"text":"a","TEXT":"b","none":null,"list":["x"],"inner":{"n":1}}`), 8)
	if err != nil {
		t.Fatal(err)
	}
	r := rawjson.Reader{Object: object}
	if r.Text("text") != "a" || r.Text("Text") != "" || r.Text("none") != "" || r.Nested("absent") != nil ||
		r.Nested("none") != nil {
		t.Error("a text or what is absent is read wrong")
	}
	if list := rawjson.Decode[[]string](&r, "list", "texts"); !slices.Equal(list, []string{"x"}) ||
		len(r.Nested("inner")) != 1 || r.Err != nil {
		t.Errorf("list is %v, error %v", list, r.Err)
	}
	r.Nested("list")
	var fault *rawjson.MemberError
	if r.Text("inner"); !errors.As(r.Err, &fault) || fault.Member != "list" ||
		r.Err.Error() != "member list must be an object" {
		t.Errorf("the first fault is %v", r.Err)
	}
	if r.Text("text") != "" || r.Nested("inner") != nil {
		t.Error("something is read after a fault")
	}
}
