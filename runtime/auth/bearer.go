package auth

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

const tokenAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/"

// Bearer returns the access token in a request's Authorization header (RFC 6750, section 2.1). Tokens in queries and forms are
// ignored. Its error is a *Refusal.
func Bearer(header http.Header) (string, error) {
	sent := header.Values("Authorization")
	if len(sent) == 0 {
		return "", missingBearer
	}
	if len(sent) > 1 {
		return "", badToken("The request has more than one Authorization header. Send exactly one.")
	}
	scheme, token, _ := strings.Cut(strings.Trim(sent[0], " \t"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", missingBearer // RFC 6750, section 3.1
	}
	token = strings.TrimLeft(token, " ")
	if !isToken(token) {
		return "", badToken("The Authorization header has no well-formed bearer token. Send the access token as it was issued.")
	}
	if len(token) < rs.ShortestBearer { // it could be an ordinary word, which cannot be redacted from a response (R-ERR-6)
		return "", badToken(fmt.Sprintf(
			"The access token is shorter than %d characters and could be guessed. Send the access token as it was issued.", rs.ShortestBearer))
	}
	return token, nil
}

// isToken reports whether a text is a b64token (RFC 6750, section 2.1) within rs.LongestBearer bytes.
func isToken(text string) bool {
	body := strings.TrimRight(text, "=")
	return body != "" && len(text) <= rs.LongestBearer && strings.Trim(body, tokenAlphabet) == ""
}
