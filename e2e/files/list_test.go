package files_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// listed serves a record whose attachments are a list of references, and refuses windows of their parts as resource
// servers do (098b).
func listed(t *testing.T) *rs.Client {
	t.Helper()
	const record = `{"object":"record","id":"m1","stream":"messages","connection_id":"cin_1","data":{"subject":"two ` +
		`files","attachments":[` +
		`{"blob_id":"b0","mime_type":"text/csv","size_bytes":8,"filename":"a.csv"},{"part":2,"blob_ref":{"blob_id":"b1",` +
		`"mime_type":"text/plain","size_bytes":5}}]}}`
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/streams/messages/records/m1/field-window", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `{"error":{"type":"permission_error","code":"field_not_granted","message":"field is not within the `+
			`granted projection"}}`)
	})
	mux.HandleFunc("GET /v1/streams/messages/records/m1",
		func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, record) })
	mux.HandleFunc("GET /v1/streams/messages/records", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"object":"list","has_more":false,"data":[`+record+`]}`)
	})
	mux.HandleFunc("GET /v1/blobs/b0", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "n,1\nm,2\n") })
	mux.HandleFunc("GET /v1/blobs/b1", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	client, err := rs.NewClient(rs.Options{BaseURL: server.URL, Bearer: rs.NewSecret(bearer)})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// R-BLOB-1, R-BLOB-2, R-BLOB-4: each file of a list is named and sized in both channels, with a call that reads it, as
// text and as a resource. A value that is not a file is refused as before.
func TestFilesInAList(t *testing.T) {
	env := tool.Env{RS: listed(t)}
	run := func(name, arguments string) (*tool.Result, error) {
		surface := gen.Surface()
		at := slices.IndexFunc(surface.Tools, func(definition tool.Definition) bool { return definition.Name == name })
		return surface.Tools[at].Run(t.Context(), env, json.RawMessage(arguments))
	}
	for name, arguments := range map[string]string{
		"fetch":         `{"id":"cin_1/messages:m1"}`,
		"query_records": `{"stream":"messages","connection_id":"cin_1"}`,
	} {
		result, err := run(name, arguments)
		if err != nil {
			t.Fatal(err)
		}
		for _, channel := range []string{result.Text, string(result.Structured)} {
			for _, says := range []string{
				"blob(text/csv 8 bytes, a.csv)", "blob(text/plain 5 bytes)",
				`"field_path":"attachments.0"`, `"field_path":"attachments.1.blob_ref"`,
			} {
				if !strings.Contains(channel, says) {
					t.Errorf("%s does not say %s: %s", name, says, channel)
				}
			}
		}
		if !strings.Contains(string(result.Structured), `{"field":"attachments.0","blob_id":"b0","filename":"a.csv"`) {
			t.Errorf("%s does not name the blob: %s", name, result.Structured)
		}
	}
	for path, want := range map[string]string{"attachments.0": "n,1\nm,2", "attachments.1.blob_ref": "hello"} {
		result, err := run("read_record_field", `{"id":"cin_1/messages:m1","field_path":"`+path+`"}`)
		if err != nil || !strings.Contains(result.Text, want) {
			t.Errorf("%s is read as %+v, %v", path, result, err)
		}
		env.WantsFile = true
		if result, err = run("read_record_field", `{"id":"cin_1/messages:m1","field_path":"`+path+`"}`); err != nil ||
			!strings.HasPrefix(string(result.File.Data), want) {
			t.Errorf("the bytes of %s are %+v, %v", path, result, err)
		}
		env.WantsFile = false
	}
	for _, path := range []string{"attachments.2", "attachments.1.part", "subject.0"} {
		var refused *rs.Error
		if _, err := run("read_record_field", `{"id":"cin_1/messages:m1","field_path":"`+path+`"}`); !errors.As(err,
			&refused) || refused.Code != "field_not_granted" {
			t.Errorf("%s gives %v", path, err)
		}
	}
}
