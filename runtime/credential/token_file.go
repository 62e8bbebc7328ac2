package credential

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// ReadTokenFile gives the scoped token that a file holds alone; white space around it is dropped.
// The file belongs to whoever mounted it (a container secret is often read-only and 0444), so its
// mode is left as it is. Errors are of class Configuration.
func ReadTokenFile(path string) (Token, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Token{}, tokenFileError(path, "cannot be read: "+cause(err).Error(), err)
	}
	if info.IsDir() {
		return Token{}, tokenFileError(path, "is a directory", nil)
	}
	file, err := os.Open(path)
	if err != nil {
		return Token{}, tokenFileError(path, "cannot be read: "+cause(err).Error(), err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, longestToken+1024))
	if err != nil {
		return Token{}, tokenFileError(path, "cannot be read: "+cause(err).Error(), err)
	}
	token, err := NewToken(strings.TrimSpace(string(data)))
	if err != nil {
		return Token{}, tokenFileError(path, "cannot be used: "+err.Error(), err)
	}
	return token, nil
}

// TokenFromEnvironment gives the scoped token of PDPP_ACCESS_TOKEN.
func TokenFromEnvironment(value string) (Token, error) {
	token, err := NewToken(strings.TrimSpace(value))
	if err != nil {
		return Token{}, &Error{
			Class:    Configuration,
			Message:  "PDPP_ACCESS_TOKEN cannot be used: " + err.Error(),
			NextStep: "set it to a scoped access token, or unset it to use the credential cache",
			Cause:    err,
		}
	}
	return token, nil
}

func tokenFileError(path, problem string, err error) *Error {
	return &Error{
		Class:    Configuration,
		Message:  fmt.Sprintf("access token file %s %s", path, problem),
		NextStep: "pass --access-token-file with a file that holds one scoped access token",
		Cause:    err,
	}
}
