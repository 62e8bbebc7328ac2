package recordid

// Reason says what is wrong with a handle or with a part of one. Reasons are stable.
type Reason string

// The reasons.
const (
	Empty         Reason = "empty"         // nothing where a name must stand
	Traversal     Reason = "traversal"     // ".", "..", or ".." in a place where it could climb
	Separator     Reason = "separator"     // a slash, a backslash or a colon in a place that has none
	Control       Reason = "control"       // a control character
	Encoding      Reason = "encoding"      // bytes that are not UTF-8, base64url or percent-encoding
	NotHandle     Reason = "not_handle"    // not of the handle grammar, a URL for instance
	NotURI        Reason = "not_uri"       // not a pdpp URI of a known kind
	Contradictory Reason = "contradictory" // the URI's own members do not agree
	BadVersion    Reason = "bad_version"   // a handle of another version
)

// Error is a handle, a URI or a part of one that is refused (R-HAND-5).
type Error struct {
	Reason  Reason
	Part    string // "id", "connection id", "stream", "record id", "field path" or "uri"
	Message string // what is wrong and what is expected, without the part's name
	Cause   error  // may be nil
}

func (e *Error) Error() string { return e.Part + " " + e.Message }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Cause }
