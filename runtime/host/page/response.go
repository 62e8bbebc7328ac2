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

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/webpage"
)

// Content security policies (CSP Level 3). A page loads style, script and images from its origin
// alone, and sends nothing; every other answer loads nothing.
const (
	inertPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	pagePolicy  = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

// How long an answer may be kept. What is made for a request is asked for again each time, which costs
// a 304: an old page would show an old URL.
const (
	revalidated = "no-cache"
	oneDay      = "public, max-age=86400"
)

// originHeaders are the request headers from which a public origin may come, besides Host.
const originHeaders = "Forwarded, X-Forwarded-Host, X-Forwarded-Proto"

const iconType = "image/svg+xml"

//go:embed assets
var assets embed.FS

// asset reads an embedded file. It panics when there is none: the names are constants.
func asset(name string) []byte {
	content, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic(err)
	}
	return content
}

// markup is HTML that is already escaped.
//
// Package html/template would find the context of each value by itself, but it finds methods by their names,
// which makes the linker keep every method of every type: 2.6 MB. All values here stand between tags or
// within double quotes, where one escape is right. In other documents it is what stands there as it is.
type markup string

// fill writes an asset with its values, which stand in it as ${name}: strings are escaped, markup is not. It panics
// when one is missing: the assets are embedded, and tests write each of them.
func fill(name string, values map[string]any, escape func(string) string) markup {
	return markup(os.Expand(string(asset(name)), func(name string) string {
		switch value := values[name].(type) {
		case markup:
			return string(value)
		case string:
			return escape(value)
		}
		panic("page: no value for " + name)
	}))
}

// escapeJSON makes a text what stands in a string of JSON.
func escapeJSON(text string) string {
	quoted := rawjson.Quote(text)
	return string(quoted[1 : len(quoted)-1])
}

// document is one answer.
type document struct {
	contentType string
	policy      string // empty for inertPolicy
	caching     string // empty for revalidated
	vary        string // empty when the request does not matter
	body        []byte
}

// send answers GET and HEAD, and an If-None-Match that names the body with 304.
func send(w http.ResponseWriter, r *http.Request, answer document) {
	header := w.Header()
	secure(header, cmp.Or(answer.policy, inertPolicy))
	header.Set("Content-Type", answer.contentType)
	// A strong validator (RFC 9110, 8.8.3): the same bytes have the same tag on every replica.
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

func style(w http.ResponseWriter, r *http.Request) {
	send(w, r, document{contentType: "text/css; charset=utf-8", body: []byte(webpage.Style)})
}

func script(w http.ResponseWriter, r *http.Request) {
	send(w, r, document{contentType: "text/javascript; charset=utf-8", body: asset("connect.js")})
}

// icon may be shown by the pages of others, since hosts list servers with their icons.
func icon(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	send(w, r, document{contentType: iconType, caching: oneDay, body: []byte(webpage.Icon)})
}

// secure sets the headers that every answer of this package carries.
func secure(header http.Header, policy string) {
	header.Set("Content-Security-Policy", policy)
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Content-Type-Options", "nosniff")
}
