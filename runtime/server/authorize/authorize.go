// Package authorize makes the sign-ins of hosts ask for one source. A host knows nothing of sources, so the owner of a
// provider such as the reference gets a page for several, whose approval is a package. A server in another process
// cannot read it unless the authorization server publishes its members. With configured sources, the hosted server is
// the authorization server that its metadata name. It has one endpoint, which adds authorization_details and redirects
// to the real one. Hosts register and get their tokens at the real endpoints.
package authorize

import (
	"html"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/webpage"
)

// Paths below the public origin.
const (
	MetadataPath  = "/.well-known/oauth-authorization-server" // RFC 8414
	AuthorizePath = "/authorize"
)

// chosen is the parameter with the number of the source that the user chose on the page.
const chosen = "pdpp_source"

// details is the parameter that names what is requested (RFC 9396).
const details = "authorization_details"

// Options configures the routes.
type Options struct {
	Sources []Source // at least one

	// Origin returns the origin that the client of a request sees.
	Origin func(*http.Request) string

	// Metadata returns the metadata of the authorization server, or nil as long as they are unknown. It is called
	// concurrently.
	Metadata func() rawjson.Object

	Site string // the name on the page
}

// Register adds the routes.
func Register(mux *http.ServeMux, options Options) {
	mux.HandleFunc("GET "+MetadataPath, options.metadata)
	mux.HandleFunc("GET "+AuthorizePath, options.authorize)
}

// repeated are the members of the authorization server's metadata that hold for this server too. It has no pushed
// requests, since their details are not seen here, and does not name itself in redirects (RFC 9207).
var repeated = []string{
	"token_endpoint", "registration_endpoint", "revocation_endpoint", "response_types_supported", "response_modes_supported", "grant_types_supported",
	"code_challenge_methods_supported", "token_endpoint_auth_methods_supported", "revocation_endpoint_auth_methods_supported", "scopes_supported",
	"client_id_metadata_document_supported",
}

func (o Options) metadata(w http.ResponseWriter, r *http.Request) {
	known := o.Metadata()
	if known == nil {
		o.unavailable(w)
		return
	}
	origin := o.Origin(r)
	document := rawjson.Object{rawjson.String("issuer", origin), rawjson.String("authorization_endpoint", origin+AuthorizePath)}
	for _, name := range repeated {
		if value := known.Get(name); value != nil {
			document = append(document, rawjson.Raw(name, value))
		}
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write(append(document.Encode(), '\n'))
}

// authorize redirects to the authorization server with the details of a source. Of several sources, the user chooses
// one first. A client that names its own details keeps them.
func (o Options) authorize(w http.ResponseWriter, r *http.Request) {
	known := o.Metadata()
	target, err := url.Parse(known.Text("authorization_endpoint"))
	if err != nil || target.Host == "" {
		o.unavailable(w)
		return
	}
	query := r.URL.Query()
	number, err := strconv.Atoi(query.Get(chosen))
	switch {
	case query.Get(details) != "":
	case len(o.Sources) == 1:
		query.Set(details, o.Sources[0].details())
	case err == nil && number >= 0 && number < len(o.Sources):
		query.Set(details, o.Sources[number].details())
	default:
		o.choose(w, query)
		return
	}
	query.Del(chosen)
	if known.Get("scopes_supported") == nil {
		query.Del("scope")
	}
	for name, values := range target.Query() {
		query[name] = values
	}
	target.RawQuery = query.Encode()
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	http.Redirect(w, r, target.String(), http.StatusFound)
}

// choose writes the page on which the user chooses a source.
func (o Options) choose(w http.ResponseWriter, query url.Values) {
	var page strings.Builder
	page.WriteString(webpage.Top("Choose what to share", o.Site) + `<main>
<h1>Choose what to share</h1>
<p class="lead">Your AI app reads one source with each sign-in. You approve it on the next page.</p>
<ul>
`)
	for i, source := range o.Sources {
		query.Set(chosen, strconv.Itoa(i))
		address := html.EscapeString(AuthorizePath + "?" + query.Encode())
		page.WriteString(`<li><a href="` + address + `">` + html.EscapeString(source.title()) + "</a></li>\n")
	}
	page.WriteString("</ul>\n</main>\n</body>\n</html>\n")
	webpage.Secure(w.Header(), "'none'")
	_, _ = w.Write([]byte(page.String()))
}

func (o Options) unavailable(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "5")
	webpage.Message{Site: o.Site, Title: "Signing in is not possible now", Text: []string{"The authorization server cannot be reached. Try again in a few seconds."}}.
		Write(w, http.StatusServiceUnavailable)
}
