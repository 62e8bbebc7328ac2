package argument

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/address"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Check checks one string, or one item of a list. Its error is a *tool.Error.
type Check func(name, value string) error

// SafeName returns an error for a name of a stream, field or connection that could change the meaning of a request path
// (R-ARG-7).
func SafeName(name, value string) error { return invalidID(name, recordid.CheckName(name, value)) }

// RecordID returns an error for a record id that breaks the rule for canonical keys (R-ARG-7).
func RecordID(name, value string) error { return invalidID(name, recordid.CheckRecordID(name, value)) }

// invalidID returns the *tool.Error for an error of package recordid.
func invalidID(name string, err error) error {
	var refused *recordid.Error
	if !errors.As(err, &refused) {
		return err
	}
	advice := "; pass it as a result or schema shows it"
	if refused.Part == "id" || refused.Part == "uri" { // the error has the advice
		advice = ""
	}
	return &tool.Error{Code: tool.InvalidID, Message: refused.Error() + advice, Param: name, Cause: err}
}

// FieldName returns an error for a value that cannot be one name in a comma-separated list.
func FieldName(name, value string) error {
	switch {
	case value == "":
		return refuse(tool.InvalidArguments, name, "must not hold an empty name; leave it out")
	case strings.Contains(value, ","):
		return refuse(tool.InvalidArguments, name, fmt.Sprintf("must hold one name per item, and %s has a comma; pass each name as a separate item", quote(value)))
	case strings.ContainsFunc(value, unicode.IsControl):
		return refuse(tool.InvalidArguments, name, fmt.Sprintf("must not hold control characters, as in %s; take the names from schema", quote(value)))
	}
	return nil
}

// NotBlank returns an error for an empty string and for white space alone.
func NotBlank(name, value string) error {
	if strings.TrimSpace(value) == "" {
		return refuse(tool.InvalidArguments, name, "must not be blank; pass the words to look for")
	}
	return nil
}

// TimeZone returns an error for a name that is not in the tz database.
func TimeZone(name, value string) error {
	_, err := time.LoadLocation(value)
	if err != nil || value == "" || value == "Local" { // LoadLocation accepts both, but they are not in the database
		return refuse(tool.InvalidArguments, name, fmt.Sprintf("is unknown: %s; pass an IANA name such as Europe/Berlin", quote(value)))
	}
	return nil
}

// maxCallbackBytes is callback_url_max_bytes of the metadata of PDPP servers.
const maxCallbackBytes = 2048

// CallbackURL returns an error for a URL that is neither https nor http on this machine. The error does not repeat the
// URL, which may hold a secret.
func CallbackURL(name, value string) error {
	parsed, err := address.Parse(value)
	problem := ""
	switch {
	case len(value) > maxCallbackBytes:
		return refuse(tool.InvalidArguments, name, fmt.Sprintf("has %d bytes; pass an address of at most %d", len(value), maxCallbackBytes))
	case err != nil:
		problem = err.Error()
	case parsed.Scheme == "http" && !address.IsLoopback(parsed.Hostname()):
		problem = "must begin with https://, unless the receiver runs on the provider's machine"
	default:
		return nil
	}
	return refuse(tool.InvalidArguments, name, problem+"; pass one such as https://receiver.example/events")
}
