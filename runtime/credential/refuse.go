package credential

import (
	"net/url"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/address"
)

// ownerPrefix is the prefix of variables for owner credentials, such as PDPP_OWNER_TOKEN and PDPP_OWNER_SESSION_COOKIE.
const ownerPrefix = "PDPP_OWNER_"

// RefuseOwnerEnvironment returns an error if the environment contains an owner credential (R-STDIO-3). It takes the result of
// os.Environ. The error names the variables, never their values.
func RefuseOwnerEnvironment(environment []string) error {
	var names []string
	for _, variable := range environment {
		name, value, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(strings.ToUpper(name), ownerPrefix) && value != "" {
			names = append(names, name)
		}
	}
	if names == nil {
		return nil
	}
	slices.Sort(names)
	return &Error{
		Class:    Refused,
		Message:  "an owner credential is set in the environment (" + strings.Join(names, ", ") + "), which is never used here",
		NextStep: "unset it and start again",
		Command:  "unset " + strings.Join(names, " "),
	}
}

// RefuseClearText returns an error of class Usage for plain http to another machine, which would send the token unencrypted. What
// names the URL in the message. An invalid URL is left to the caller.
func RefuseClearText(what, raw string) error {
	parsed, err := url.Parse(raw)
	if err != nil || !strings.EqualFold(parsed.Scheme, "http") || address.IsLoopback(parsed.Hostname()) {
		return nil
	}
	return &Error{
		Class:    Usage,
		Message:  "the " + what + " is plain http to another machine, which would send the token unencrypted",
		NextStep: "pass one that begins with https://, or --allow-plain-http in a private network",
	}
}
