package page_test

import (
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/server/page"
)

const htmlMedia = "text/html; charset=utf-8"

// served are the routes with content.
var served = []struct {
	path, accept, contentType, caching, vary string
	scripts                                  bool // whether its policy allows scripts of its origin
}{
	{
		"/", "", "application/json; charset=utf-8", "no-cache",
		"Accept, Forwarded, X-Forwarded-Host, X-Forwarded-Proto", false,
	},
	{"/", "text/html", htmlMedia, "no-cache", "Accept, Forwarded, X-Forwarded-Host, X-Forwarded-Proto", true},
	{"/dashboard/connect", "", htmlMedia, "no-cache", "Forwarded, X-Forwarded-Host, X-Forwarded-Proto", true},
	{"/dashboard/connect.css", "", "text/css; charset=utf-8", "no-cache", "", false},
	{"/dashboard/connect.js", "", "text/javascript; charset=utf-8", "no-cache", "", false},
	{"/llms.txt", "", "text/plain; charset=utf-8", "no-cache", "Forwarded, X-Forwarded-Host, X-Forwarded-Proto", false},
	{"/icon.svg", "", "image/svg+xml", "public, max-age=86400", "", false},
}

func TestHeadersOfEveryRoute(t *testing.T) { // R-HOST-6, R-HOST-7, R-HOST-8, R-HOST-11
	handler := routes(options())
	for _, route := range served {
		t.Run(route.path+" "+route.accept, func(t *testing.T) {
			response := get(handler, route.path, "Accept", route.accept)
			if response.Code != http.StatusOK || response.Body.Len() == 0 {
				t.Fatalf("status %d with %d bytes", response.Code, response.Body.Len())
			}
			header := response.Header()
			for name, want := range map[string]string{
				"Content-Type": route.contentType, "Cache-Control": route.caching, "Vary": route.vary,
				"Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff",
			} {
				if got := header.Get(name); got != want {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			}
			checkPolicy(t, header.Get("Content-Security-Policy"), route.scripts)
		})
	}
}

func checkPolicy(t *testing.T, policy string, scripts bool) {
	t.Helper()
	directives := map[string]string{}
	for directive := range strings.SplitSeq(policy, ";") {
		name, sources, _ := strings.Cut(strings.TrimSpace(directive), " ")
		directives[name] = sources
	}
	want := map[string]string{
		"default-src": "'none'", "base-uri": "'none'", "form-action": "'none'",
		"frame-ancestors": "'none'",
	}
	if scripts {
		want["script-src"], want["style-src"], want["img-src"] = "'self'", "'self'", "'self'"
	}
	if diff := gocmp.Diff(want, directives); diff != "" {
		t.Errorf("policy (-want +got):\n%s", diff)
	}
}

func TestHeadAndRevalidation(t *testing.T) {
	handler := routes(options())
	for _, route := range served {
		t.Run(route.path+" "+route.accept, func(t *testing.T) {
			full := get(handler, route.path, "Accept", route.accept)
			head := ask(handler, http.MethodHead, route.path, "Accept", route.accept)
			if diff := gocmp.Diff(full.Header(), head.Header()); diff != "" || head.Body.Len() != 0 {
				t.Errorf("HEAD has %d bytes; headers (-GET +HEAD):\n%s", head.Body.Len(), diff)
			}
			tag := full.Header().Get("ETag")
			if again := get(handler, route.path, "Accept", route.accept, "If-None-Match", tag); tag == "" ||
				again.Code != http.StatusNotModified {
				t.Errorf("tag %q is answered with %d, want 304", tag, again.Code)
			}
			if changed := get(handler, route.path, "Accept", route.accept, "If-None-Match",
				`"other"`); changed.Code != http.StatusOK {
				t.Errorf("another tag is answered with %d, want 200", changed.Code)
			}
			if posted := ask(handler, http.MethodPost, route.path); posted.Code != http.StatusMethodNotAllowed {
				t.Errorf("POST is answered with %d, want 405", posted.Code)
			}
		})
	}
}

func TestTagFollowsTheOrigin(t *testing.T) {
	for _, path := range []string{"/", "/dashboard/connect", "/llms.txt"} {
		one := get(routes(withOrigin("https://one.example")), path).Header().Get("ETag")
		other := get(routes(withOrigin("https://other.example")), path).Header().Get("ETag")
		if one == other {
			t.Errorf("%s has the tag %s for two origins", path, one)
		}
	}
}

func TestShortAddressRedirects(t *testing.T) { // R-HOST-7
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		response := ask(routes(options()), method, "/connect?to=https://evil.example")
		if response.Code != http.StatusPermanentRedirect || response.Header().Get("Location") != "/dashboard/connect" {
			t.Errorf("%s: %d to %q", method, response.Code, response.Header().Get("Location"))
		}
	}
}

func TestOtherPathsAreNotTaken(t *testing.T) {
	for _, path := range []string{
		"/nothing", "/dashboard", "/dashboard/connect/more", "/mcp", "/layout.html",
		"/assets/connect.html",
	} {
		if response := get(routes(options()), path); response.Code != http.StatusNotFound {
			t.Errorf("%s is answered with %d, want 404", path, response.Code)
		}
	}
}

func TestIcon(t *testing.T) { // R-HOST-6
	want := mcp.Icon{Source: "https://data.example.org/icon.svg", MIMEType: "image/svg+xml", Sizes: []string{"any"}}
	if diff := gocmp.Diff(want, page.Icon(publicOrigin+"/")); diff != "" {
		t.Errorf("serverInfo.icons[0] (-want +got):\n%s", diff)
	}
	response := get(routes(options()), "/icon.svg")
	if got := response.Header().Get("Cross-Origin-Resource-Policy"); got != "cross-origin" {
		t.Errorf("Cross-Origin-Resource-Policy is %q: a host could not show the icon", got)
	}
	decoder := xml.NewDecoder(response.Body)
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the icon is not XML: %v", err)
		}
		if element, is := token.(xml.StartElement); is && (element.Name.Local == "script" || element.Name.Local == "style") {
			t.Errorf("the icon has a <%s>, which its policy forbids", element.Name.Local)
		}
	}
}

func TestOriginIsRequired(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("New takes options without an origin")
		}
	}()
	page.Register(http.NewServeMux(), page.Options{Name: "pdpp-mcp"})
}
