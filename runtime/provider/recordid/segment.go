package recordid

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Error is the refusal of a handle, a URI or a part of one (R-HAND-5).
type Error struct {
	Part    string // "id", "connection id", "stream", "record id", "field path" or "uri"
	Message string // what is wrong and what is expected, without the name of the part
	Cause   error  // may be nil
}

func (e *Error) Error() string { return e.Part + " " + e.Message }

func (e *Error) Unwrap() error { return e.Cause }

// CheckName refuses a stream name, a connection id or a field path that could change the meaning of a request path
// (R-ARG-7): an empty one, ".", or one with a slash, a backslash, ".." or a control character. The error names the
// part, and is an *Error.
func CheckName(part, value string) error { return checkSegment(part, value, true) }

// CheckRecordID is CheckName for a record id. A canonical key such as ["quo\"ted","2026-04-04"] may have a backslash or
// "..", but not next to each other.
func CheckRecordID(part, value string) error { return checkSegment(part, value, false) }

// checkURIRecordID is CheckRecordID for a record id in a URI, which may have slashes: requests write them as %2F
// (R-HAND-9).
func checkURIRecordID(part, value string) error {
	if !strings.Contains(value, "/") {
		return CheckRecordID(part, value)
	}
	for step := range strings.SplitSeq(value, "/") {
		if step == "." || step == ".." {
			return &Error{Part: part, Message: `must not hold "." or ".." between slashes`}
		}
	}
	return CheckRecordID(part, strings.ReplaceAll(value, "/", "-"))
}

func checkSegment(part, value string, isName bool) error {
	var problem string
	switch {
	case isPlain(value):
		return nil
	case value == "":
		problem = "must not be empty"
	case value == "." || value == "..":
		problem = `must not be "." or ".."`
	case strings.Contains(value, "/"):
		problem = "must not hold a slash"
	case !utf8.ValidString(value):
		problem = "must be valid UTF-8"
	case strings.ContainsFunc(value, unicode.IsControl):
		problem = "must not hold control characters"
	case isName && strings.Contains(value, `\`):
		problem = "must not hold a backslash"
	case isName && strings.Contains(value, ".."):
		problem = `must not hold ".."`
	case strings.Contains(value, `\..`) || strings.Contains(value, `..\`):
		problem = `must not hold ".." next to a backslash`
	default:
		return nil
	}
	return &Error{Part: part, Message: problem}
}

// isPlain reports whether a value consists of ASCII letters, digits, _ and -. Such a value needs no other check.
func isPlain(value string) bool {
	return value != "" && !strings.ContainsFunc(value, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
	})
}
