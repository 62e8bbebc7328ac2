package flow_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"github.com/pdppmcp/pdpp-mcp/e2e/flowtest"
	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization"
	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization/flow"
)

// documentServer serves a client's metadata document at any path. SELF in it becomes the URL that was asked for.
type documentServer struct {
	*httptest.Server

	body   string
	kind   string
	status int
	read   atomic.Int64
}

func newDocumentServer(t *testing.T, start func(http.Handler) *httptest.Server) *documentServer {
	t.Helper()
	d := &documentServer{
		kind: "application/json", status: 200,
		body: `{"client_id":"SELF","client_name":"Documented","redirect_uris":["` + flowtest.Redirect +
			`"],"token_endpoint_auth_method":"none"}`,
	}
	d.Server = start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.read.Add(1)
		w.Header().Set("Content-Type", d.kind)
		w.Header().Set("Location", d.URL+"/elsewhere")
		w.WriteHeader(d.status)
		_, _ = w.Write([]byte(strings.ReplaceAll(d.body, "SELF", d.URL+r.URL.String())))
	}))
	t.Cleanup(d.Close)
	return d
}

func documented(id string) *oauth2.Config {
	return &oauth2.Config{
		ClientID: id, RedirectURL: flowtest.Redirect,
		Endpoint: oauth2.Endpoint{
			AuthURL: issuer + "/oauth/authorize", TokenURL: issuer + "/oauth/token",
			AuthStyle: oauth2.AuthStyleInParams,
		},
	}
}

// Covers R-MCP-3: a client that a document names signs in, renews, and asks by a device, without a registration.
func TestDocumentNamesAClient(t *testing.T) {
	f := newFixture(t, authorization.WithDocuments(flow.DocumentsAnywhere))
	d := newDocumentServer(t, httptest.NewServer)
	id := d.URL + "/client.json"
	token := f.signIn(documented(id))
	if !f.active(token.AccessToken) || token.RefreshToken == "" {
		t.Fatalf("issued %+v", token)
	}
	renewed := f.postForm("/oauth/token", "grant_type", "refresh_token", "client_id", id, "refresh_token",
		token.RefreshToken)
	if renewed.status != 200 {
		t.Errorf("the renewal answered %d %s", renewed.status, renewed.body)
	}
	if device := f.postForm("/oauth/device_authorization", "client_id", id); device.status != 200 {
		t.Errorf("the device was answered %d %s", device.status, device.body)
	}
	if d.read.Load() != 1 {
		t.Errorf("the document was read %d times", d.read.Load())
	}
	f.advance(6 * time.Minute)
	d.body = strings.Replace(d.body, "5555/callback", "5555/moved", 1)
	if page, err := f.owner.Open(f.ctx, authorizationRequest(documented(id))); err != nil || page.Status != 400 ||
		d.read.Load() != 2 {
		t.Errorf("a redirect that the document does not name any more was answered %d after %d readings: %v", page.Status,
			d.read.Load(), err)
	}
	for allowed, want := range map[flow.Documents]string{flow.NoDocuments: "false", flow.PublicDocuments: "true"} {
		request, _ := http.NewRequestWithContext(t.Context(), http.MethodGet,
			issuer+"/.well-known/oauth-authorization-server", nil)
		metadata := newFixture(t, authorization.WithDocuments(allowed)).send(request)
		if got := string(metadata.body["client_id_metadata_document_supported"]); got != want {
			t.Errorf("%s is advertised as %s", allowed, got)
		}
	}
}

// Texts that are not documents of a client, with the codes of captures 880f to 880l.
func TestDocumentIsRefused(t *testing.T) {
	const good = "/client.json"
	tests := []struct {
		name    string
		path    string
		change  func(*documentServer)
		allowed flow.Documents
		code    string
		read    bool
	}{
		{"no path", "/", nil, flow.DocumentsAnywhere, "invalid_request", false},
		{"fragment", good + "#x", nil, flow.DocumentsAnywhere, "invalid_request", false},
		{"dot segments", "/a/../client.json", nil, flow.DocumentsAnywhere, "invalid_request", false},
		{"http", good, nil, flow.PublicDocuments, "invalid_client", false},
		{"no documents", good, nil, flow.NoDocuments, "invalid_client", false},
		{"moved", good, func(d *documentServer) { d.status = 302 }, flow.DocumentsAnywhere, "cimd_fetch_failed", true},
		{"missing", good, func(d *documentServer) { d.status = 404 }, flow.DocumentsAnywhere, "cimd_fetch_failed", true},
		{"a page", good, func(d *documentServer) { d.kind = "text/html" }, flow.DocumentsAnywhere, "cimd_fetch_failed", true},
		{
			"too long", good, func(d *documentServer) { d.body += strings.Repeat(" ", 5<<10) }, flow.DocumentsAnywhere,
			"cimd_fetch_failed", true,
		},
		{"no JSON", good, func(d *documentServer) { d.body = "{" }, flow.DocumentsAnywhere, "invalid_client_metadata", true},
		{
			"of another client", good, func(d *documentServer) { d.body = `{"client_id":"https://other.example/c"}` },
			flow.DocumentsAnywhere, "invalid_client_metadata", true,
		},
		{
			"with a secret", good, func(d *documentServer) { d.body = `{"client_id":"SELF","client_secret":"x"}` },
			flow.DocumentsAnywhere, "invalid_client_metadata", true,
		},
		{"with a method", good, func(d *documentServer) {
			d.body = `{"client_id":"SELF","token_endpoint_auth_method":"client_secret_basic"}`
		}, flow.DocumentsAnywhere, "invalid_client_metadata", true},
		{"with a script", good, func(d *documentServer) {
			d.body = `{"client_id":"SELF","redirect_uris":["javascript:alert(1)"]}`
		}, flow.DocumentsAnywhere, "invalid_client_metadata", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f, d := newFixture(t, authorization.WithDocuments(test.allowed)), newDocumentServer(t, httptest.NewServer)
			if test.change != nil {
				test.change(d)
			}
			if refused := f.postForm("/oauth/device_authorization", "client_id", d.URL+test.path); refused.code() != test.code ||
				refused.text("error_description") == "" {
				t.Errorf("a device was answered %d %s", refused.status, refused.body)
			}
			pushed := f.postJSON("/oauth/par", `{"client_id":"`+d.URL+test.path+`","authorization_details":[{}]}`)
			if pushed.code() != test.code {
				t.Errorf("a pushed request was answered %d %s", pushed.status, pushed.body)
			}
			if got := d.read.Load() > 0; got != test.read {
				t.Errorf("read: %t", got)
			}
		})
	}
	// A public name may resolve to a private address. The address of the connection decides (capture 880g).
	f, d := newFixture(t, authorization.WithDocuments(flow.PublicDocuments)), newDocumentServer(t, httptest.NewTLSServer)
	for _, host := range []string{"127.0.0.1", "localhost"} {
		id := strings.Replace(d.URL, "127.0.0.1", host, 1) + good
		refused := f.postForm("/oauth/device_authorization", "client_id", id)
		if refused.code() != "cimd_fetch_failed" ||
			!strings.Contains(refused.text("error_description"), "is not a public address") || d.read.Load() > 0 {
			t.Errorf("%s was answered %d %s", id, refused.status, refused.body)
		}
	}
}
