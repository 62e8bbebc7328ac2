package host

import (
	"net/http"
	"strings"
)

// forwarded is what the proxy in front of this server says of the request that it received.
type forwarded struct {
	host   string // empty when it says nothing
	scheme string // http or https
}

// forwardedBy reads Forwarded (RFC 7239), else X-Forwarded-Host and X-Forwarded-Proto. In a list the last
// element is the one that the nearest proxy added; whatever stands before it may come from the client.
func forwardedBy(header http.Header) forwarded {
	seen := forwarded{
		host:   lastElement(header.Values("X-Forwarded-Host")),
		scheme: lastElement(header.Values("X-Forwarded-Proto")),
	}
	if element := lastElement(header.Values("Forwarded")); element != "" {
		seen = forwarded{}
		for pair := range strings.SplitSeq(element, ";") {
			name, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
			value = strings.Trim(value, `"`)
			switch strings.ToLower(name) {
			case "host":
				seen.host = value
			case "proto":
				seen.scheme = value
			}
		}
	}
	if seen.scheme = strings.ToLower(seen.scheme); seen.scheme != "https" {
		seen.scheme = "http"
	}
	return seen
}

// lastElement is the last of a comma-separated list. Neither a host nor a scheme can hold a comma, and a
// quoted one that does is no host.
func lastElement(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	line := lines[len(lines)-1]
	return strings.TrimSpace(line[strings.LastIndexByte(line, ',')+1:])
}
