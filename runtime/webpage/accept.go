package webpage

import (
	"cmp"
	"mime"
	"slices"
	"strconv"
	"strings"
)

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
