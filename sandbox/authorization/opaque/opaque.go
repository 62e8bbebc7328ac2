// Package opaque makes random values that tell nothing about what they are for.
package opaque

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
)

// Text has 256 random bits in 43 characters that need no escaping. It is for tokens and codes.
func Text() string {
	var bits [32]byte
	_, _ = rand.Read(bits[:]) // crypto/rand never fails: it ends the program instead
	return base64.RawURLEncoding.EncodeToString(bits[:])
}

// ID is prefix and 16 hexadecimal digits. It is for what has a name, and keeps no secret.
func ID(prefix string) string {
	var bits [8]byte
	_, _ = rand.Read(bits[:])
	return prefix + hex.EncodeToString(bits[:])
}
