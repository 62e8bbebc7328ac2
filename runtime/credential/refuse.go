package credential

import (
	"net/url"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/address"
)

// ownerPrefix begins every variable that may carry an owner credential, such as PDPP_OWNER_TOKEN
// and PDPP_OWNER_SESSION_COOKIE.
const ownerPrefix = "PDPP_OWNER_"

// RefuseOwnerEnvironment refuses to run beside an owner credential (R-STDIO-3). It takes the
// environment as os.Environ gives it and names the variables that are set, never their values. An
// empty variable holds no credential.
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

// RefuseClearText refuses a URL whose token would cross a network in clear text: plain http to another machine.
// What the URL is for begins the message. Its error is of class Usage; a URL that does not parse is left to
// whoever dials it.
func RefuseClearText(what, raw string) error {
	parsed, err := url.Parse(raw)
	if err != nil || !strings.EqualFold(parsed.Scheme, "http") || address.IsLoopback(parsed.Hostname()) {
		return nil
	}
	return &Error{
		Class:    Usage,
		Message:  "the " + what + " is plain http to another machine, which would send a token in clear text",
		NextStep: "pass one that begins with https://, or --allow-plain-http in a private network",
	}
}
