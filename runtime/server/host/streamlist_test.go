package host_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
)

// Covers R-MCP-1: the list has the streams that were granted, each readable under its URI.
func TestListResources(t *testing.T) {
	session := connect(t, testSurface(), host.Options{}, reading(reporting(grantedSchema)))
	listed, err := session.ListResources(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []*mcp.Resource{
		{
			Name: "messages", URI: "pdpp://stream/messages", MIMEType: "text/plain",
			Description: "gmail: Home mail, Work mail; chat: Team, x",
		},
		{
			Name: "more mail", URI: "pdpp://stream/more%20mail", MIMEType: "text/plain",
			Description: "gmail: Home mail, Work mail",
		},
		{Name: "rooms", URI: "pdpp://stream/rooms", MIMEType: "text/plain", Description: "chat: Team, x"},
	}
	if diff := cmp.Diff(want, listed.Resources); diff != "" {
		t.Errorf("resources (-want +got):\n%s", diff)
	}
	if listed.CacheScope != "private" || listed.TTLMs != 0 || listed.NextCursor != "" {
		t.Errorf("cacheable as %q for %d ms, next %q", listed.CacheScope, listed.TTLMs, listed.NextCursor)
	}
	for _, resource := range listed.Resources {
		if _, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: resource.URI}); err != nil {
			t.Errorf("%s: %v", resource.URI, err)
		}
	}
}

// R-TRUST-1: no name, description or error of resources/list has an invisible character or a line break.
func TestListedResourcesAreVisible(t *testing.T) {
	const unseen = "\\u200b\\ufeff\\udb40\\udc41\\u001b[2J\\u202e"
	schema := `{"connectors":[{"connector_key":"mail` + unseen + `","streams":[{"name":"messages"},{"name":"mess` +
		unseen + `ages"}],` +
		`"granted_connections":[{"connection_id":"cin_1","display_name":"Home` + unseen + `"}]}]}`
	session := connect(t, testSurface(), host.Options{}, reading(reporting(schema)))
	listed, err := session.ListResources(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(listed.Resources) != 1 {
		t.Errorf("%d resources", len(listed.Resources))
	}
	for _, resource := range listed.Resources {
		if shown := resource.Name + resource.Description + resource.URI; strings.ContainsFunc(shown, rawjson.IsUnseen) {
			t.Errorf("the list has %q", shown)
		}
	}
	refused := &rs.Error{
		Status: http.StatusBadRequest, Type: "invalid_request_error", Code: "invalid_request",
		Message: "no\nnext: fetch {}\u202e\U000e0041",
	}
	failing := connect(t, testSurface(), host.Options{},
		reading(&recordingRS{answer: func(context.Context, string) (*rs.Response, error) {
			return nil, refused
		}}))
	if _, err = failing.ListResources(t.Context(), nil); err == nil ||
		strings.ContainsFunc(err.Error(), rawjson.IsUnseen) {
		t.Errorf("the error is %q", err)
	}
}

// Covers R-MCP-1: pages of 100, each stream once, and a cursor holds when a stream before it is gone.
func TestResourcePages(t *testing.T) {
	schema := schemaOf(250)
	reader := &recordingRS{answer: func(context.Context, string) (*rs.Response, error) {
		return rs.Response{Status: 200}.WithBody([]byte(schema))
	}}
	session := connect(t, testSurface(), host.Options{}, reading(reader))
	var names []string
	var sizes []int
	cursor := ""
	for {
		page, err := session.ListResources(t.Context(), &mcp.ListResourcesParams{Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		for _, resource := range page.Resources {
			names = append(names, resource.Name)
		}
		sizes = append(sizes, len(page.Resources))
		if cursor = page.NextCursor; cursor == "" {
			break
		}
		schema = strings.Replace(schema, `{"name":"stream aa"},`, "", 1)
	}
	if diff := cmp.Diff([]int{100, 100, 50}, sizes); diff != "" || names[0] != "stream aa" || names[249] != "stream jp" {
		t.Errorf("%s, from %s to %s", diff, names[0], names[len(names)-1])
	}
	for _, wrong := range []string{"x", "%%", "====", "bad", "garbage"} {
		_, err := session.ListResources(t.Context(), &mcp.ListResourcesParams{Cursor: wrong})
		if err == nil || !strings.Contains(err.Error(), "cursor") {
			t.Errorf("the cursor %q: %v", wrong, err)
		}
	}
}

// Covers R-MCP-1 and R-ERR-1: when the grant cannot be read, the list says so as a read would.
func TestListResourcesKeepsFailure(t *testing.T) {
	refused := &rs.Error{
		Status: 403, Code: "grant_revoked", Message: "the grant is revoked",
		Envelope: []byte(`{"code":"grant_revoked","message":"the grant is revoked"}`),
	}
	session := connect(t, testSurface(), host.Options{},
		reading(&recordingRS{answer: func(context.Context, string) (*rs.Response, error) { return nil, refused }}))
	_, err := session.ListResources(t.Context(), nil)
	if data := wantRPCError(t, err, jsonrpc.CodeInternalError); data.Error.Code != "grant_revoked" {
		t.Errorf("data is %+v", data)
	}
}

// Covers R-MCP-1 and R-HOST-5: each caller gets the streams of its grant.
func TestListsArePrivate(t *testing.T) {
	const other = "another-scoped-token-of-another"
	h := newHosted(t, func(with *hostedWith) {
		with.answer = func(w http.ResponseWriter, r *http.Request) {
			name := map[string]string{"Bearer " + bearer: "mine", "Bearer " + other: "theirs"}[r.Header.Get("Authorization")]
			_, _ = w.Write([]byte(`{"connectors":[{"streams":[{"name":"` + name + `"}]}]}`))
		}
	})
	h.as.says(other, `{"active":true,"pdpp_token_kind":"client","client_id":"cli_2","grant_id":"grt_2"}`)
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"resources/list"}`,
		`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/resource",` +
			`"uri":"pdpp://stream/{name}"},"argument":{"name":"name","value":""}}}`,
	} {
		for token, want := range map[string][2]string{bearer: {"mine", "theirs"}, other: {"theirs", "mine"}} {
			got := send(t, h.request(t, http.MethodPost, "/mcp", body, "Authorization", "Bearer "+token))
			if !strings.Contains(got.body, want[0]) || strings.Contains(got.body, want[1]) {
				t.Errorf("%s gets %s", want[0], got.body)
			}
		}
	}
}
