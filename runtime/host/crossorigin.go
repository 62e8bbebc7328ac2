package host

import "net/http"

// isForeign tells whether a page of another origin made the request (R-HOST-9). A browser says where a
// page is from with Origin, or where that is left out, with Sec-Fetch-Site (Fetch Metadata); programs
// send neither. Package http's CrossOriginProtection compares with the Host header, which behind a proxy is
// not what the page sees.
func isForeign(r *http.Request, publicOrigin string) bool {
	if origins := r.Header.Values("Origin"); len(origins) > 0 {
		parsed, err := parseOrigin(origins[0])
		return len(origins) > 1 || err != nil || parsed.String() != publicOrigin
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return false
	}
	return true
}
