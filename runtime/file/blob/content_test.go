package blob_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/blob"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// serving returns a client of a resource server whose one blob has no announced size.
func serving(t *testing.T, data string) *rs.Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = http.NewResponseController(w).Flush()
		_, _ = io.WriteString(w, data)
	}))
	t.Cleanup(server.Close)
	client, err := rs.NewClient(rs.Options{BaseURL: server.URL, Bearer: rs.NewSecret("a-bearer-of-tests-0001")})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// someText is the SHA-256 of "some text\n".
const someText = "a23e5fdcd7b276bdd81aa1a0b7b963101863dd3f61ff57935f8c5ba462681ea6"

var asked = rs.Request{Path: "/v1/blobs/b"}

// R-BLOB-2: bytes whose number no answer announced are held to what the record says of them, and to the most.
func TestBytesMatchTheReference(t *testing.T) {
	client := serving(t, "some text\n")
	for name, test := range map[string]struct {
		reference blob.Reference
		most      int64
		is        func(error) bool
	}{
		"as many":           {blob.Reference{Size: 10}, 10, func(err error) bool { return err == nil }},
		"an unknown size":   {blob.Reference{Size: -1}, 10, func(err error) bool { return err == nil }},
		"fewer":             {blob.Reference{Size: 11}, 20, isFailure},
		"more":              {blob.Reference{Size: 9}, 20, isFailure},
		"another digest":    {blob.Reference{Size: 10, Digest: sum}, 20, isFailure},
		"another in the id": {blob.Reference{ID: "blob_sha256_" + sum, Size: 10}, 20, isFailure},
		"the right one in the id, another in its member": {
			blob.Reference{ID: "blob_sha256_" + someText, Digest: sum, Size: 10}, 20, isFailure,
		},
		"the right one twice": {
			blob.Reference{ID: "blob_sha256_" + someText, Digest: someText, Size: 10},
			20,
			func(err error) bool { return err == nil },
		},
		"more than may be": {blob.Reference{Size: -1}, 9, isTooLarge},
		"said to be more":  {blob.Reference{Size: 10}, 9, isTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			_, forget, err := blob.Read(t.Context(), client, "", asked, test.reference, test.most)
			forget()
			if !test.is(err) {
				t.Errorf("gives %v", err)
			}
		})
	}
}

func isFailure(err error) bool {
	var failure *rs.Failure
	return errors.As(err, &failure)
}

func isTooLarge(err error) bool {
	var refusal *tool.Error
	return errors.As(err, &refusal) && refusal.Code == tool.BlobTooLarge
}

// held is an opener that answers none of its calls before it is let go.
type held struct {
	opened atomic.Int64
	letGo  chan struct{}
}

var errLetGo = errors.New("let go")

func (h *held) Open(context.Context, rs.Request, rs.Resume) (*rs.Download, error) {
	h.opened.Add(1)
	<-h.letGo
	return nil, errLetGo
}

// R-BLOB-2, R-DOC-4: the bytes of all blobs that are held at once are bounded, and those of one caller by half of it. A
// further call waits until its time ends and sends no request. Released bytes are available again.
func TestHeldBlobsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opener := &held{letGo: make(chan struct{})}
		read := func(ctx context.Context, caller string) error {
			_, release, err := blob.Read(ctx, opener, caller, asked, blob.Reference{Size: blob.MaxText}, blob.MaxText)
			release()
			return err
		}
		begin := func(caller string) {
			go func() {
				if err := read(t.Context(), caller); !errors.Is(err, errLetGo) {
					t.Errorf("a read of %s: %v", caller, err)
				}
			}()
			synctest.Wait()
		}
		for range 3 {
			begin("a")
		}
		if opened := opener.opened.Load(); opened != 2 {
			t.Errorf("%d blobs of one caller are read at once, want 2", opened)
		}
		begin("b")
		begin("c")
		if opened := opener.opened.Load(); opened != 4 {
			t.Errorf("%d blobs are read at once, want 4", opened)
		}
		calling, end := context.WithCancel(t.Context())
		var waited error
		go func() { waited = read(calling, "d") }()
		synctest.Wait()
		if opened := opener.opened.Load(); opened != 4 {
			t.Errorf("%d blobs are read at once, want 4", opened)
		}
		end()
		synctest.Wait()
		var failure *rs.Failure
		if !errors.As(waited, &failure) || failure.Reason != rs.Timeout || failure.NextStep == "" ||
			!errors.Is(waited, context.Canceled) {
			t.Errorf("a read without memory: %v", waited)
		}
		close(opener.letGo)
		if err := read(t.Context(), "d"); !errors.Is(err, errLetGo) {
			t.Errorf("a read after the others: %v", err)
		}
		synctest.Wait() // the other reads end before their context does
	})
}
