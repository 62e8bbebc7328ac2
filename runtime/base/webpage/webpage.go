// Package webpage has the style, the icon and the head of all HTML pages of the project, and a page for one message.
// Its pages load nothing and run no script.
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

// Style is the stylesheet of every page.
//
//go:embed style.css
var Style string

// Icon is the project's icon as an SVG document, of any size.
//
//go:embed icon.svg
var Icon string

// styleSource returns the source of Content-Security-Policy (CSP Level 3) that allows Style in a page.
func styleSource() string {
	sum := sha256.Sum256([]byte(Style))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// head begins every page.
const head = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
`

// Top returns the beginning of a page with an inline style, up to the header. It escapes the title and the name of the
// site. The policy of the page must allow the style, as Secure does.
func Top(title, site string) string { return top(title, site, "", "<style>"+Style+"</style>\n") }

// TopLinked is Top for a page whose origin serves Style at a path. Further is markup for the head.
func TopLinked(title, site, stylePath, iconPath, further string) string {
	return top(title, site, `<link rel="icon" href="`+html.EscapeString(iconPath)+`" type="image/svg+xml">`+"\n"+
		`<link rel="stylesheet" href="`+html.EscapeString(stylePath)+`">`+"\n"+further, "")
}

// top returns the beginning of a page, with markup before and after the title.
func top(title, site, before, after string) string {
	icon := strings.Replace(strings.TrimSpace(Icon), "<svg ", `<svg aria-hidden="true" width="28" height="28" `, 1)
	site = html.EscapeString(site)
	return head + before + "<title>" + html.EscapeString(title) + " · " + site + "</title>\n" + after +
		"</head>\n<body>\n<header>\n" + icon + "\n<span>" + site + "</span>\n</header>\n"
}

// Message is a page with one message. Its texts are escaped.
type Message struct {
	Site  string
	Title string
	Text  []string // paragraphs

	Link, LinkText string // to a path or a URL of this origin; may be empty
}

// Write writes the page.
func (m Message) Write(w http.ResponseWriter, status int) {
	var page strings.Builder
	page.WriteString(Top(m.Title, m.Site) + "<main>\n<h1>" + html.EscapeString(m.Title) + "</h1>\n")
	for _, paragraph := range m.Text {
		page.WriteString("<p>" + html.EscapeString(paragraph) + "</p>\n")
	}
	if m.Link != "" {
		page.WriteString(`<p><a class="action" href="` + html.EscapeString(m.Link) + `">` +
			html.EscapeString(m.LinkText) + "</a></p>\n")
	}
	page.WriteString("</main>\n</body>\n</html>\n")
	Secure(w.Header(), "")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(page.String()))
}

// Secure sets the headers of a page that loads nothing, is in no frame and sends no referrer. Its forms may go to the
// sources in forms.
func Secure(header http.Header, forms string) {
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", "default-src 'none'; style-src "+styleSource()+
		"; base-uri 'none'; frame-ancestors 'none'; form-action "+cmp.Or(forms, "'none'"))
	header.Set("X-Frame-Options", "DENY")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
}

// PrefersHTML reports whether the values of Accept (RFC 9110, 12.5.1) prefer text/html to application/json.
func PrefersHTML(accept []string) bool {
	return quality(accept, "text/html") > quality(accept, "application/json")
}

// quality returns the quality of the most specific range for a media type, or 0. Unreadable ranges are ignored.
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
