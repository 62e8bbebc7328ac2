// Package webpage has what all pages for people share, whichever part of the project shows them: the style, the icon, the head,
// and a whole page for one message. Its pages load nothing and run no script. It imports nothing of the project.
package webpage

import (
	"cmp"
	"crypto/sha256"
	_ "embed" // the style and the icon
	"encoding/base64"
	"html"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// Style is the stylesheet of every page. It takes nothing from elsewhere.
//
//go:embed style.css
var Style string

// Icon is the project's icon as an SVG document, of any size.
//
//go:embed icon.svg
var Icon string

// StyleSource is the source of Content-Security-Policy (CSP Level 3) that lets Style stand in a page.
func StyleSource() string {
	sum := sha256.Sum256([]byte(Style))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Brand is the markup of the line above a page: the icon and the name of the site, which it escapes.
func Brand(site string) string {
	icon := strings.Replace(strings.TrimSpace(Icon), "<svg ", `<svg aria-hidden="true" width="28" height="28" `, 1)
	return "<header>\n" + icon + "\n<span>" + html.EscapeString(site) + "</span>\n</header>\n"
}

// head is what every page says of itself. No search engine is to keep it.
const head = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
`

// Top is the markup of a page that stands for itself, from its first byte to the line above it. It escapes the title and the name of
// the site. The policy of the page must allow StyleSource.
func Top(title, site string) string {
	return head + "<title>" + html.EscapeString(title) + " · " + html.EscapeString(site) + "</title>\n<style>" + Style + "</style>\n</head>\n<body>\n" + Brand(site)
}

// TopLinked is Top for a page whose origin serves Style at a path. Further is markup for its head.
func TopLinked(title, site, stylePath, iconPath, further string) string {
	return head + `<link rel="icon" href="` + html.EscapeString(iconPath) + `" type="image/svg+xml">` + "\n" +
		`<link rel="stylesheet" href="` + html.EscapeString(stylePath) + `">` + "\n" + further +
		"<title>" + html.EscapeString(title) + " · " + html.EscapeString(site) + "</title>\n</head>\n<body>\n" + Brand(site)
}

// Message is a page that says one thing. All of it is text, and is escaped.
type Message struct {
	Site  string
	Title string
	Text  []string // paragraphs

	// Link leads on, to a path or a URL of this origin; empty: nowhere. LinkText says where.
	Link, LinkText string
}

// Write answers with the page. A browser that went away gets nothing.
func (m Message) Write(w http.ResponseWriter, status int) {
	var page strings.Builder
	page.WriteString(Top(m.Title, m.Site) + "<main>\n<h1>" + html.EscapeString(m.Title) + "</h1>\n")
	for _, paragraph := range m.Text {
		page.WriteString("<p>" + html.EscapeString(paragraph) + "</p>\n")
	}
	if m.Link != "" {
		page.WriteString(`<p><a class="action" href="` + html.EscapeString(m.Link) + `">` + html.EscapeString(m.LinkText) + "</a></p>\n")
	}
	page.WriteString("</main>\n</body>\n</html>\n")
	Secure(w.Header(), "")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(page.String()))
}

// Secure sets the headers of a page that stands for itself: it may load nothing, be in no frame, tell no other site where it
// was, and send its forms to forms, which are sources of the policy; empty for none.
func Secure(header http.Header, forms string) {
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", "default-src 'none'; style-src "+StyleSource()+
		"; base-uri 'none'; frame-ancestors 'none'; form-action "+cmp.Or(forms, "'none'"))
	header.Set("X-Frame-Options", "DENY")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
}

// PrefersHTML reports whether the values of Accept (RFC 9110, 12.5.1) wants text/html more than
// application/json. Without a preference JSON is the answer, since a client without one is a program.
func PrefersHTML(accept []string) bool {
	return quality(accept, "text/html") > quality(accept, "application/json")
}

// quality is that of the most specific range which covers a media type, 0 when none does. It leaves out ranges that it
// cannot read.
func quality(accept []string, mediaType string) float64 {
	family, _, _ := strings.Cut(mediaType, "/")
	covering := []string{"*/*", family + "/*", mediaType}
	best, found := -1, 0.0
	for element := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		accepted, parameters, err := mime.ParseMediaType(element)
		if err != nil {
			continue
		}
		weight, err := strconv.ParseFloat(cmp.Or(parameters["q"], "1"), 64)
		if specific := slices.Index(covering, accepted); specific > best && err == nil && 0 <= weight && weight <= 1 {
			best, found = specific, weight
		}
	}
	return found
}
