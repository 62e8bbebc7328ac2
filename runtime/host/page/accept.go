package page

import (
	"mime"
	"strconv"
	"strings"
)

// prefersHTML tells whether an Accept header (RFC 9110, 12.5.1) wants text/html more than
// application/json. Without a preference JSON is the answer: who asks for nothing in particular is a
// program.
func prefersHTML(accept []string) bool {
	ranges := acceptedRanges(accept)
	return quality(ranges, "text/html") > quality(ranges, "application/json")
}

// acceptedRange is one element of an Accept header.
type acceptedRange struct {
	mediaRange string
	quality    float64
}

// acceptedRanges leaves out what it cannot read.
func acceptedRanges(accept []string) []acceptedRange {
	var ranges []acceptedRange
	for element := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		mediaRange, parameters, err := mime.ParseMediaType(element)
		if err != nil {
			continue
		}
		weight := 1.0
		if text, given := parameters["q"]; given {
			weight, err = strconv.ParseFloat(text, 64)
			if err != nil || !(0 <= weight && weight <= 1) {
				continue
			}
		}
		ranges = append(ranges, acceptedRange{mediaRange, weight})
	}
	return ranges
}

// quality is that of the most specific range which covers the type, 0 when none does.
func quality(ranges []acceptedRange, mediaType string) float64 {
	family, _, _ := strings.Cut(mediaType, "/")
	for _, covering := range []string{mediaType, family + "/*", "*/*"} {
		for _, accepted := range ranges {
			if accepted.mediaRange == covering {
				return accepted.quality
			}
		}
	}
	return 0
}
