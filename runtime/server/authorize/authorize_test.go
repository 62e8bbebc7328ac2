package authorize_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/authorize"
)

const (
	gmail  = "https://registry.pdpp.dev/connectors/gmail"
	origin = "https://mcp.example"
)

const asMetadata = `{"issuer":"https://as.example","authorization_endpoint":"https://as.example/authorize?tenant=1","token_endpoint":"https://as.example/token",
	"registration_endpoint":"https://as.example/register","pushed_authorization_request_endpoint":"https://as.example/par",
	"authorization_response_iss_parameter_supported":true,"code_challenge_methods_supported":["S256"]}`

func get(t *testing.T, metadata, target string, sources ...string) *http.Response {
	t.Helper()
	options := authorize.Options{
		Site: "pdpp", Origin: func(*http.Request) string { return origin },
		Metadata: func() rawjson.Object { document, _ := rawjson.ParseObject([]byte(metadata)); return document },
	}
	for _, text := range sources {
		source, err := authorize.ParseSource(text)
		if err != nil {
			t.Fatal(err)
		}
		options.Sources = append(options.Sources, source)
	}
	mux := http.NewServeMux()
	authorize.Register(mux, options)
	recorder := httptest.NewRecorder()
	mux.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, target, nil))
	return recorder.Result()
}

// R-HOST-3: the metadata have the endpoint of this server for the owner, and those of the authorization server for the
// rest. Nothing promises a form of request that would pass by, or an issuer in redirects.
func TestMetadata(t *testing.T) {
	response := get(t, asMetadata, authorize.MetadataPath, gmail)
	var got map[string]any
	if err := json.NewDecoder(response.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"issuer": origin, "authorization_endpoint": origin + "/authorize", "token_endpoint": "https://as.example/token",
		"registration_endpoint": "https://as.example/register", "code_challenge_methods_supported": []any{"S256"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("metadata (-want +got):\n%s", diff)
	}
}

// R-PKG-1: a sign-in asks for one source, so that its token is a client's. Everything else of the request stays.
func TestAuthorize(t *testing.T) {
	const asked = authorize.AuthorizePath + "?client_id=c&state=s%26t&scope=pdpp%3Aread&resource=" + origin + "/mcp"
	response := get(t, asMetadata, asked, gmail+"=cin_a+cin_b")
	location, err := response.Location()
	if err != nil || response.StatusCode != http.StatusFound || location.Host != "as.example" ||
		location.Path != "/authorize" {
		t.Fatalf("answered %d %v %v", response.StatusCode, location, err)
	}
	sent := location.Query()
	var details []credential.Detail
	if err := json.Unmarshal([]byte(sent.Get("authorization_details")), &details); err != nil || len(details) != 1 {
		t.Fatalf("details %s: %v", sent.Get("authorization_details"), err)
	}
	streams := []credential.Stream{{Name: "*", Connections: []string{"cin_a", "cin_b"}}}
	if diff := cmp.Diff(streams, details[0].Streams); diff != "" || details[0].Source.ID != gmail {
		t.Errorf("details %+v (-want +got):\n%s", details[0], diff)
	}
	sent.Del("authorization_details")
	if diff := cmp.Diff(url.Values{"client_id": {"c"}, "state": {"s&t"}, "resource": {origin + "/mcp"}, "tenant": {"1"}},
		sent); diff != "" {
		t.Errorf("the other parameters (-want +got):\n%s", diff)
	}
	own := get(t, asMetadata, asked+"&authorization_details=%5B%5D", gmail)
	if location, _ := own.Location(); location == nil || location.Query().Get("authorization_details") != "[]" {
		t.Errorf("the client's own details become %v", location)
	}
}

// Of several sources the user chooses one, and the choice leads to its details.
func TestChoice(t *testing.T) {
	sources := []string{gmail, "https://registry.pdpp.dev/connectors/slack=cin_team"}
	response := get(t, asMetadata, authorize.AuthorizePath+"?state=%3Cs%3E", sources...)
	body := make([]byte, 64<<10)
	n, _ := response.Body.Read(body)
	page := string(body[:n])
	for _, text := range []string{
		"<a href=\"/authorize?pdpp_source=0&amp;state=%3Cs%3E\">gmail</a>",
		">slack (cin_team)</a>",
	} {
		if !strings.Contains(page, text) {
			t.Errorf("the page lacks %q:\n%s", text, page)
		}
	}
	location, _ := get(t, asMetadata, authorize.AuthorizePath+"?state=s&pdpp_source=1", sources...).Location()
	if location == nil || !strings.Contains(location.Query().Get("authorization_details"), "cin_team") ||
		location.Query().Has("pdpp_source") {
		t.Errorf("the choice leads to %v", location)
	}
	for _, number := range []string{"-1", "2", "x"} {
		if answered := get(t, asMetadata, authorize.AuthorizePath+"?pdpp_source="+number,
			sources...); answered.StatusCode != http.StatusOK {
			t.Errorf("choice %s: %d", number, answered.StatusCode)
		}
	}
}

// R-HOST-4: unknown metadata of the authorization server do not change the request.
func TestUnknownAuthorizationServer(t *testing.T) {
	for _, path := range []string{authorize.MetadataPath, authorize.AuthorizePath} {
		if response := get(t, "", path, gmail); response.StatusCode != http.StatusServiceUnavailable ||
			response.Header.Get("Retry-After") == "" {
			t.Errorf("%s: %d %v", path, response.StatusCode, response.Header)
		}
	}
	for _, text := range []string{"", "=cin_a", gmail + "=", gmail + "=cin_a+", "a b"} {
		if source, err := authorize.ParseSource(text); !errors.Is(err, authorize.ErrSource) {
			t.Errorf("%q is %+v, %v", text, source, err)
		}
	}
}
