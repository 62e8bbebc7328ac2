package argument

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/pdppmcp/pdpp-mcp/runtime/address"
	"github.com/pdppmcp/pdpp-mcp/runtime/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Check judges one string argument, or one item of a list. Its error is a *tool.Error.
type Check func(name, value string) error

// SafeName refuses names that could change the meaning of a request path (R-ARG-7): those of streams and
// fields, and the ids of connections.
func SafeName(name, value string) error { return invalidID(name, recordid.CheckName(name, value)) }

// RecordID refuses record ids under the rule for canonical keys (R-ARG-7).
func RecordID(name, value string) error { return invalidID(name, recordid.CheckRecordID(name, value)) }

// invalidID makes an adapter error of a refusal by package recordid.
func invalidID(name string, err error) error {
	var refused *recordid.Error
	if !errors.As(err, &refused) {
		return err
	}
	advice := "; pass it as a result or schema shows it"
	if refused.Part == "id" || refused.Part == "uri" { // of which the error says it
		advice = ""
	}
	return &tool.Error{Code: tool.InvalidID, Message: refused.Error() + advice, Param: name, Cause: err}
}

// FieldName refuses what cannot be one name of a comma-separated list.
func FieldName(name, value string) error {
	switch {
	case value == "":
		return refuse(tool.InvalidArguments, name, "must not hold an empty name; leave it out")
	case strings.Contains(value, ","):
		return refuse(tool.InvalidArguments, name, fmt.Sprintf(
			"must hold one name per item, and %s has a comma; pass %s", quote(value), quoteList(strings.Split(value, ","))))
	case strings.ContainsFunc(value, unicode.IsControl):
		return refuse(tool.InvalidArguments, name, fmt.Sprintf("must not hold control characters, as in %s; take the names from schema", quote(value)))
	}
	return nil
}

func quoteList(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = quote(strings.TrimSpace(text))
	}
	return tool.Shorten("["+strings.Join(quoted, ",")+"]", maxShown)
}

// NotBlank refuses a text of nothing but white space.
func NotBlank(name, value string) error {
	if strings.TrimSpace(value) == "" {
		return refuse(tool.InvalidArguments, name, "must not be blank; pass the words to look for")
	}
	return nil
}

// mostCallbackBytes is callback_url_max_bytes of the metadata of PDPP servers.
const mostCallbackBytes = 2048

// CallbackURL accepts an address that a provider may post events to: https, or http on this machine.
func CallbackURL(name, value string) error {
	parsed, err := address.Parse(value)
	problem := ""
	switch {
	case len(value) > mostCallbackBytes:
		return refuse(tool.InvalidArguments, name, fmt.Sprintf("has %d bytes; pass an address of at most %d", len(value), mostCallbackBytes))
	case err != nil:
		problem = err.Error()
	case parsed.Scheme == "http" && !address.IsLoopback(parsed.Hostname()):
		problem = "must begin with https://, unless the receiver runs on the provider's machine"
	default:
		return nil
	}
	// The address may hold a secret in its path or query, so it is not repeated.
	return refuse(tool.InvalidArguments, name, problem+"; pass one such as https://receiver.example/events")
}
