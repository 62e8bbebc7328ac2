package recordid

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Error is a handle, a URI or a part of one that is refused (R-HAND-5).
type Error struct {
	Part    string // "id", "connection id", "stream", "record id", "field path" or "uri"
	Message string // what is wrong and what is expected, without the part's name
	Cause   error  // may be nil
}

func (e *Error) Error() string { return e.Part + " " + e.Message }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Cause }

// CheckName refuses a stream name, a connection id or a field path that could change the meaning of a
// request path (R-ARG-7): empty, ".", "..", with a slash, a backslash, ".." or a control character.
// The part names it in the error, which is nil or an *Error.
func CheckName(part, value string) error {
	if isPlain(value) {
		return nil
	}
	if err := checkSegment(part, value); err != nil {
		return err
	}
	if strings.Contains(value, `\`) {
		return &Error{Part: part, Message: "must not hold a backslash"}
	}
	if strings.Contains(value, "..") {
		return &Error{Part: part, Message: `must not hold ".."`}
	}
	return nil
}

// CheckRecordID refuses a record id under the rule of CheckName, save that a canonical key such as
// ["quo\"ted","2026-04-04"] may hold a backslash or "..", though not side by side.
func CheckRecordID(part, value string) error {
	if isPlain(value) {
		return nil
	}
	if err := checkSegment(part, value); err != nil {
		return err
	}
	if strings.Contains(value, `\..`) || strings.Contains(value, `..\`) {
		return &Error{Part: part, Message: `must not hold ".." beside a backslash`}
	}
	return nil
}

// checkURIRecordID refuses what CheckRecordID refuses, save slashes: a URI's token keeps them apart from its other parts,
// and they go out as %2F (R-HAND-9). None of what stands between them may climb.
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

func checkSegment(part, value string) error {
	switch {
	case value == "":
		return &Error{Part: part, Message: "must not be empty"}
	case value == "." || value == "..":
		return &Error{Part: part, Message: `must not be "." or ".."`}
	case strings.Contains(value, "/"):
		return &Error{Part: part, Message: "must not hold a slash"}
	case !utf8.ValidString(value):
		return &Error{Part: part, Message: "must be valid UTF-8"}
	case strings.ContainsFunc(value, unicode.IsControl):
		return &Error{Part: part, Message: "must not hold control characters"}
	}
	return nil
}

// isPlain tells most values from those that need a closer look: letters and digits of ASCII, _ and -.
func isPlain(value string) bool {
	for i := range len(value) {
		if !plainBytes[value[i]] {
			return false
		}
	}
	return value != ""
}

var plainBytes = func() (plain [256]bool) {
	for c := range plain {
		plain[c] = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
	}
	return plain
}()
