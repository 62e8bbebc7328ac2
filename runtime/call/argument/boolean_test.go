package argument_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/call/argument"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

func TestBooleans(t *testing.T) {
	for raw, want := range map[string]*bool{
		`{}`: nil, `{"on":null}`: nil, `{"on":true}`: pointer(true),
		`{"on":false}`: pointer(false), `{"on":"True"}`: pointer(true),
	} {
		arguments := argument.Open(json.RawMessage(raw), argument.Names{Accepted: []string{"on"}})
		if got := arguments.Boolean("on"); arguments.Err() != nil || (got == nil) != (want == nil) ||
			got != nil && *got != *want {
			t.Errorf("%s gives %v, %v", raw, got, arguments.Err())
		}
	}
	for _, raw := range []string{`{"on":"yes"}`, `{"on":1}`, `{"on":"t"}`, `{"on":[]}`} {
		arguments := argument.Open(json.RawMessage(raw), argument.Names{Accepted: []string{"on"}})
		var refused *tool.Error
		if got := arguments.Boolean("on"); got != nil || !errors.As(arguments.Err(), &refused) || refused.Param != "on" {
			t.Errorf("%s gives %v, %v", raw, got, arguments.Err())
		}
	}
}
