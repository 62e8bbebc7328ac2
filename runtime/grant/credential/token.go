package credential

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// ReadTokenFile returns the scoped token in a file, without surrounding white space. It does not change the file's
// mode, since a container secret is often read-only and 0444. Errors are of class Configuration.
func ReadTokenFile(path string) (rs.Secret, error) {
	var token rs.Secret
	var data []byte
	problem := "read: "
	file, err := os.Open(path)
	if err == nil {
		defer file.Close()
		data, err = io.ReadAll(io.LimitReader(file, rs.LongestBearer+1024))
	}
	if err == nil {
		problem = "used: the access token "
		token, err = rs.NewBearer(strings.TrimSpace(string(data)))
	}
	if err != nil {
		return rs.Secret{}, Misconfigured(fmt.Sprintf("access token file %s cannot be %s%v", path, problem, Cause(err)),
			"pass --access-token-file with a file that contains one scoped access token", err)
	}
	return token, nil
}

// TokenFromEnvironment returns the scoped token in the value of PDPP_ACCESS_TOKEN.
func TokenFromEnvironment(value string) (rs.Secret, error) {
	token, err := rs.NewBearer(strings.TrimSpace(value))
	if err != nil {
		return rs.Secret{}, Misconfigured("PDPP_ACCESS_TOKEN cannot be used: the access token "+err.Error(),
			"set it to a scoped access token, or unset it to use the credential cache", err)
	}
	return token, nil
}

// RefuseOwnerEnvironment returns an error if the environment contains an owner credential, such as PDPP_OWNER_TOKEN
// (R-STDIO-3). It takes the result of os.Environ. The error names the variables, never their values.
func RefuseOwnerEnvironment(environment []string) error {
	var names []string
	for _, variable := range environment {
		name, value, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(strings.ToUpper(name), "PDPP_OWNER_") && value != "" {
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
