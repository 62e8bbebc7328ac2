// Package files_test reads files of every kind through the tools: large ones to their end, pictures, resources, and
// hostile ones.
package files_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const bearer = "tok_of_files_3fKq9aBcD"

// file is a file as a resource server has it, and what its record says of it.
type file struct {
	declared string            // media type of the record; empty: none
	data     []byte            // bytes
	size     int64             // of the record; 0: the right one, -1: none
	digest   string            // of the record; empty: the right one
	header   map[string]string // of the answer
	serve    http.HandlerFunc  // answers in place of the bytes; may be nil
}

// reference returns the member blob_ref of the record.
func (f file) reference() map[string]any {
	members := map[string]any{
		"blob_id": "blob_1", "sha256": f.digest, "fetch_url": "/v1/blobs/blob_1",
		"size_bytes": len(f.data),
	}
	if f.declared != "" {
		members["mime_type"] = f.declared
	}
	switch {
	case f.size < 0:
		delete(members, "size_bytes")
	case f.size > 0:
		members["size_bytes"] = f.size
	}
	return members
}

// provider is a resource server whose one record refers to a file.
type provider struct {
	*httptest.Server
	client *rs.Client

	mu   sync.Mutex
	file file
	seen map[string]int // requests by their last segment
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	p := &provider{seen: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/streams/attachments/records/a1/field-window", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnprocessableEntity)
		fmt.Fprint(w, `{"error":{"type":"api_error","code":"field_not_text","message":"field 'blob_ref' is object, not a `+
			`readable text field"}}`)
	})
	mux.HandleFunc("GET /v1/streams/attachments/records/a1", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{
			"object": "record", "id": "a1", "stream": "attachments", "connection_id": "cin_1",
			"data": map[string]any{"blob_ref": p.current().reference()},
		})
	})
	mux.HandleFunc("GET /v1/blobs/blob_1", func(w http.ResponseWriter, r *http.Request) {
		current := p.current()
		if current.serve != nil {
			current.serve(w, r)
			return
		}
		w.Header().Set("Content-Type", current.declared)
		w.Header().Set("Content-Length", strconv.Itoa(len(current.data)))
		for name, value := range current.header {
			w.Header().Set(name, value)
		}
		_, _ = w.Write(current.data)
	})
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.seen[r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]]++
		p.mu.Unlock()
		if r.Header.Get("Authorization") != "Bearer "+bearer {
			t.Errorf("%s came with another bearer", r.URL.Path)
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)
	transport := rs.NewTransport()
	t.Cleanup(transport.CloseIdleConnections)
	client, err := rs.NewClient(rs.Options{
		BaseURL: p.URL, Bearer: rs.NewSecret(bearer), Transport: transport,
		Timeout: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	p.client = client
	return p
}

func (p *provider) current() file {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.file
}

// has replaces the file of the record, and forgets the requests.
func (p *provider) has(f file) {
	if f.digest == "" {
		sum := sha256.Sum256(f.data)
		f.digest = hex.EncodeToString(sum[:])
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.file, p.seen = f, map[string]int{}
}

// asked returns the number of requests for each path, in the order of their names.
func (p *provider) asked() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var each []string
	for _, name := range slices.Sorted(maps.Keys(p.seen)) {
		each = append(each, fmt.Sprintf("%s %d", name, p.seen[name]))
	}
	return strings.Join(each, ", ")
}

// environment is for a session over the provider.
func (p *provider) environment(context.Context) (tool.Env, error) { return tool.Env{RS: p.client}, nil }

// read calls the tool that reads a field.
func (p *provider) read(ctx context.Context, more string) (*tool.Result, error) {
	surface := gen.Surface()
	at := slices.IndexFunc(surface.Tools,
		func(definition tool.Definition) bool { return definition.Name == "read_record_field" })
	return surface.Tools[at].Run(ctx, tool.Env{RS: p.client},
		json.RawMessage(`{"id":"cin_1/attachments:a1","field_path":"blob_ref"`+more+`}`))
}
