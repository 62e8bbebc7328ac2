package auth

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

const tokenAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/"

// Bearer takes the access token out of a request's header (RFC 6750, section 2.1). There is no other
// place: a token in a query or a form is not looked for. Its error is a *Refusal: without an error
// parameter when no bearer was sent, and with invalid_token when there are several Authorization
// headers or something that is no token.
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
		return "", missingBearer // RFC 6750, section 3.1: another scheme is as good as none
	}
	token = strings.TrimLeft(token, " ")
	if !isToken(token) {
		return "", badToken("The Authorization header holds no well-formed bearer token. Send the access token as it was issued.")
	}
	if len(token) < rs.ShortestBearer {
		return "", shortToken
	}
	return token, nil
}

// shortToken is a token that ordinary words could hold, so that it could not be kept out of an answer (R-ERR-6).
var shortToken = badToken(fmt.Sprintf("The access token is shorter than %d characters, as none is that nobody can guess. Send the access token as it was issued.", rs.ShortestBearer))

// isToken reports whether a text is a b64token (RFC 6750, section 2.1) of at most rs.LongestBearer bytes.
func isToken(text string) bool {
	body := strings.TrimRight(text, "=")
	return body != "" && len(text) <= rs.LongestBearer && strings.Trim(body, tokenAlphabet) == ""
}
