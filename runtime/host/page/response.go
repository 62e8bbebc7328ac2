package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"time"
)

// Content security policies (CSP Level 3). A page takes style, script and images from its own origin
// alone, and sends nothing anywhere; what is no page takes nothing at all.
const (
	pagePolicy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	inertPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

// How long an answer may be kept. What is made for a request is asked for again each time, which costs
// a 304: an old page would show an old URL.
const (
	revalidated = "no-cache"
	oneDay      = "public, max-age=86400"
)

// originHeaders are the request headers from which a public origin may come, besides Host.
const originHeaders = "Forwarded, X-Forwarded-Host, X-Forwarded-Proto"

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
	secure(header, answer.policy)
	header.Set("Content-Type", answer.contentType)
	header.Set("ETag", entityTag(answer.body))
	if answer.caching == "" {
		answer.caching = revalidated
	}
	header.Set("Cache-Control", answer.caching)
	if answer.vary != "" {
		header.Set("Vary", answer.vary)
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(answer.body))
}

// secure sets the headers that every answer of this package carries.
func secure(header http.Header, policy string) {
	if policy == "" {
		policy = inertPolicy
	}
	header.Set("Content-Security-Policy", policy)
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Content-Type-Options", "nosniff")
}

// entityTag is a strong validator (RFC 9110, 8.8.3): the same bytes have the same tag on every replica.
func entityTag(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
}
