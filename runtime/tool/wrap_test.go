package tool_test

import (
	"context"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// getter is a reader that reads no bytes.
type getter struct{ rs.Reader }

// opener is a reader that reads bytes.
type opener struct {
	getter
	opened []string
}

func (o *opener) Open(_ context.Context, request rs.Request, _ rs.Resume) (*rs.Download, error) {
	o.opened = append(o.opened, string(request.Path))
	return &rs.Download{}, nil
}

// R-BLOB-2: a wrapped reader is an Opener if the inner one is, at any depth.
func TestWrapPassesBytesOn(t *testing.T) {
	answer := &rs.Response{Status: 200}
	get := func(context.Context, rs.Request) (*rs.Response, error) { return answer, nil }
	if _, opens := tool.Wrap(tool.Wrap(getter{}, get, nil, nil), get, nil, nil).(rs.Opener); opens {
		t.Error("Wrap returned an Opener for a reader without Open")
	}
	inner, observed := &opener{}, 0
	outer := tool.Wrap(tool.Wrap(inner, get, func(rs.Request) { observed++ }, nil), get, nil, nil)
	if got, err := outer.Get(t.Context(), rs.Request{}); got != answer || err != nil {
		t.Errorf("Get returns %v, %v", got, err)
	}
	opens, is := outer.(rs.Opener)
	if !is {
		t.Fatal("Wrap hides Open")
	}
	download, err := opens.Open(t.Context(), rs.Request{Path: "/v1/blobs/b"}, rs.Resume{})
	if download == nil || err != nil || len(inner.opened) != 1 || inner.opened[0] != "/v1/blobs/b" || observed != 1 {
		t.Errorf("Open returns %v, %v; %q was opened; the observer was called %d times",
			download, err, inner.opened, observed)
	}
}
