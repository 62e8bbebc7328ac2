package rs

import (
	"net/url"
	"strings"
)

// Path is the percent-encoded path of a request, beginning with a slash.
type Path string

// JoinPath encodes each segment and joins them: JoinPath("v1", "streams", `a b`) is "/v1/streams/a%20b".
// It does not judge segments; package argument refuses the unsafe ones before a path is built (R-ARG-7).
func JoinPath(segments ...string) Path {
	var path strings.Builder
	for _, segment := range segments {
		path.WriteByte('/')
		path.WriteString(url.PathEscape(segment))
	}
	return Path(path.String())
}
