package credential

import (
	"slices"
	"strings"
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
	}
}
