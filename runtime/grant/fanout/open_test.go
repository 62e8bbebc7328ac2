package fanout_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/fanout"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// bytesRS is a resource server of one grant with files.
type bytesRS struct {
	*fakeRS

	refusal error
}

func (b bytesRS) Open(_ context.Context, request rs.Request, _ rs.Resume) (*rs.Download, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seen = append(b.seen, request)
	if b.refusal != nil {
		return nil, b.refusal
	}
	return &rs.Download{Body: io.NopCloser(strings.NewReader(b.name)), Size: -1}, nil
}

// R-PKG-7, R-BLOB-2: the bytes of a blob are read from the source of its record only.
func TestOpenAsksOneSource(t *testing.T) {
	servers := map[string]bytesRS{}
	for _, name := range []string{"a", "b"} {
		servers[name] = bytesRS{fakeRS: &fakeRS{name: name}}
	}
	first, second := member(servers["a"].fakeRS, "attachments"), member(servers["b"].fakeRS, "attachments")
	first.Reader, second.Reader = servers["a"], servers["b"]
	reader := newReader(first, second)
	request := rs.Request{Path: "/v1/blobs/b"}
	var refused *tool.Error
	if _, err := reader.Open(t.Context(), request, rs.Resume{}); !errors.As(err, &refused) ||
		refused.Code != tool.PackageUnsupported {
		t.Errorf("a request without a source gives %v", err)
	}
	for _, request.Sources = range []rs.Sources{rs.OneSource{Stream: "attachments"}, rs.NamedSource{}} {
		if _, err := reader.Open(t.Context(), request, rs.Resume{}); !errors.As(err, &refused) ||
			refused.Code != tool.AmbiguousConnection ||
			!strings.Contains(string(refused.AvailableConnections), "cin_a") {
			t.Errorf("a request for any of two sources gives %v", err)
		}
	}
	connection := "cin_b"
	for _, request.Sources = range []rs.Sources{
		rs.OneSource{Stream: "attachments", ConnectionID: &connection},
		rs.NamedSource{ConnectionID: &connection},
	} {
		download, err := reader.Open(t.Context(), request, rs.Resume{})
		if err != nil {
			t.Fatal(err)
		}
		if text, _ := io.ReadAll(download.Body); string(text) != "b" {
			t.Errorf("the bytes are those of %q", text)
		}
	}
	request.Sources = rs.NamedSource{}
	if _, err := newReader(second).Open(t.Context(), request, rs.Resume{}); err != nil {
		t.Errorf("the only source is not asked: %v", err)
	}
	untouched(t, servers["a"].fakeRS)
}

// R-ERR-3: of several grants of one connection, only one is asked. If it lacks the file, the error names the others. A
// refusal for another reason names none.
func TestOpenNamesTheOtherGrants(t *testing.T) {
	fewer, more := bytesRS{fakeRS: &fakeRS{name: "a"}}, bytesRS{fakeRS: &fakeRS{name: "b"}}
	first, second := member(fewer.fakeRS, "attachments"), member(more.fakeRS, "messages", "threads")
	second.ConnectionID, first.Reader = first.ConnectionID, fewer
	for status, want := range map[int][]string{404: {first.GrantID}, 403: {first.GrantID}, 429: nil, 500: nil} {
		refusal := &rs.Error{Status: status, Code: "refused"}
		more.refusal = refusal
		second.Reader = more
		reader := newReader(first, second)
		for _, connection := range []*string{nil, &first.ConnectionID} {
			_, err := reader.Open(t.Context(),
				rs.Request{Path: "/v1/blobs/b", Sources: rs.NamedSource{ConnectionID: connection}}, rs.Resume{})
			var others []string
			var elsewhere *fanout.OtherGrantsError
			if errors.As(err, &elsewhere) {
				others = elsewhere.OtherGrants()
			}
			if !errors.Is(err, refusal) || !slices.Equal(others, want) {
				t.Errorf("%d gives %v with the grants %q, want %q", status, err, others, want)
			}
		}
	}
	untouched(t, fewer.fakeRS)
}
