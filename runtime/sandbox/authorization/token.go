package authorization

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/sandbox/authorization/flow"
)

// Kinds of tokens, as pdpp_token_kind says them.
const (
	kindClient  = "client"
	kindPackage = "mcp_package"
	kindOwner   = "owner"
)

// bearer is what a token stands for.
type bearer struct {
	kind      string
	clientID  string
	grantID   string // client tokens
	packageID string // package tokens
	expiresAt time.Time
	revoked   bool
	audience  audience     // nil: the resource server alone
	issued    *flow.Issued // nil for ready tokens
}

func (b bearer) expired(now time.Time) bool {
	return !b.expiresAt.IsZero() && !now.Before(b.expiresAt)
}

// randomToken has 256 random bits and tells nothing about its kind.
func randomToken() string {
	var bits [32]byte
	_, _ = rand.Read(bits[:]) // crypto/rand never fails: it ends the program instead
	return base64.RawURLEncoding.EncodeToString(bits[:])
}

// stableID makes the same id from a name in every run.
func stableID(prefix, name string) string {
	sum := sha256.Sum256([]byte(name))
	return prefix + hex.EncodeToString(sum[:8])
}

// randomID makes an id that no other grant has.
func randomID(prefix string) string {
	var bits [8]byte
	_, _ = rand.Read(bits[:])
	return prefix + hex.EncodeToString(bits[:])
}
