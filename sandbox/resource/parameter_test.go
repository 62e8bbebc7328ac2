package resource_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
	"github.com/pdppmcp/pdpp-mcp/sandbox/store"
)

// No query makes a read fail inside: it is answered or refused.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{
		"limit=2&fields=id", "filter[size_bytes][gte]=1", "filter[]=1", "filter[a][b][c]=d", "filter[=1",
		"expand[]=attachments",
		"expand_limit[attachments]=1&expand=attachments", "changes_since=beginning", "cursor=e30=",
		"cursor=eyJraW5kIjoicGFnZSJ9",
		"q=%22&streams[]=messages", "metric=count&group_by=is_flagged", "metric=max&field=received_at",
		"field=body&q=x&before_chars=9",
		"field=body&limit_chars=99999999999999999999", "filter[received_at]=0000-01-01T00:00:00Z", "a=%zz", "&&==&",
	} {
		f.Add(seed)
	}
	st, err := store.Open(f.Context(), "")
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = st.Close() })
	dataset := mailDataset()
	if err := st.Load(f.Context(), dataset); err != nil {
		f.Fatal(err)
	}
	accesses := mailAccesses()
	handler := resource.New(st, dataset, func(string) (catalog.Access, bool) { return accesses[bothToken], true },
		resource.Options{})
	f.Fuzz(func(t *testing.T, query string) {
		for _, path := range []string{
			"/v1/schema", "/v1/streams", "/v1/streams/messages/records", "/v1/streams/messages/records/p-010",
			"/v1/streams/messages/records/p-010/field-window", "/v1/streams/messages/aggregate", "/v1/search",
			"/v1/search/hybrid",
		} {
			request := httptest.NewRequest(http.MethodGet, path, nil)
			request.URL = &url.URL{Path: path, RawQuery: query}
			request.Header.Set("Authorization", "Bearer x")
			recorder := httptest.NewRecorder()
			handler.ServeHTTP(recorder, request)
			// Two names for two connections are the one documented 500.
			if recorder.Code >= 500 && !request.URL.Query().Has("connector_instance_id") {
				t.Errorf("%s?%s: %d %s", path, query, recorder.Code, recorder.Body)
			}
		}
	})
}
