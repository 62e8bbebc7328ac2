package page

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"net/http"
	"os"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/webpage"
)

// Content security policies (CSP Level 3). A page loads style, script and images of its origin only. Other responses
// load nothing.
const (
	inertPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	pagePolicy  = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

// Values of Cache-Control. A page with the URL of the request must be revalidated, because the URL may change.
const (
	revalidated = "no-cache"
	oneDay      = "public, max-age=86400"
)

// originHeaders are the request headers that may name the public origin.
const originHeaders = "Forwarded, X-Forwarded-Host, X-Forwarded-Proto"

const iconType = "image/svg+xml"

//go:embed assets
var assets embed.FS

func asset(name string) string {
	content, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic(err)
	}
	return string(content)
}

// markup is HTML that is already escaped.
//
// Package html/template would add 2.6 MB to the binary, because it looks up methods by name. All values here are
// between tags or in double quotes, where the same escaping is correct.
type markup string

// fill expands ${name} in an asset. It escapes strings but not markup, and panics if a value is missing.
func fill(name string, values map[string]any, escape func(string) string) markup {
	return markup(os.Expand(asset(name), func(name string) string {
		switch value := values[name].(type) {
		case markup:
			return string(value)
		case string:
			return escape(value)
		}
		panic("page: no value for " + name)
	}))
}

func escapeJSON(text string) string {
	quoted := rawjson.Quote(text)
	return string(quoted[1 : len(quoted)-1])
}

type document struct {
	contentType string
	policy      string // default: inertPolicy
	caching     string // default: revalidated
	vary        string // may be empty
	body        []byte
}

// send answers GET and HEAD, with 304 for a matching If-None-Match.
func send(w http.ResponseWriter, r *http.Request, answer document) {
	header := w.Header()
	secure(header, cmp.Or(answer.policy, inertPolicy))
	header.Set("Content-Type", answer.contentType)
	// A strong validator (RFC 9110, 8.8.3), the same on every replica.
	sum := sha256.Sum256(answer.body)
	header.Set("ETag", `"`+base64.RawURLEncoding.EncodeToString(sum[:12])+`"`)
	header.Set("Cache-Control", cmp.Or(answer.caching, revalidated))
	if answer.vary != "" {
		header.Set("Vary", answer.vary)
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(answer.body))
}

func sendHTML(w http.ResponseWriter, r *http.Request, vary string, page markup) {
	send(w, r, document{contentType: "text/html; charset=utf-8", policy: pagePolicy, vary: vary, body: []byte(page)})
}

func static(contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		send(w, r, document{contentType: contentType, body: []byte(body)})
	}
}

// icon serves the icon. Pages of other origins may show it, because hosts list servers with their icons.
func icon(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	send(w, r, document{contentType: iconType, caching: oneDay, body: []byte(webpage.Icon)})
}

func secure(header http.Header, policy string) {
	header.Set("Content-Security-Policy", policy)
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Content-Type-Options", "nosniff")
}
