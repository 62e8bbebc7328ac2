// Package opaque makes random identifiers without meaning.
package opaque

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
)

// Text returns 256 random bits as 43 characters that need no escaping in URLs, for tokens and codes.
func Text() string {
	var bits [32]byte
	_, _ = rand.Read(bits[:]) // crypto/rand never fails: it ends the program instead
	return base64.RawURLEncoding.EncodeToString(bits[:])
}

// ID returns prefix and 16 random hexadecimal digits. An id is not a secret.
func ID(prefix string) string {
	var bits [8]byte
	_, _ = rand.Read(bits[:])
	return prefix + hex.EncodeToString(bits[:])
}
