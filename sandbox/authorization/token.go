package authorization

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization/flow"
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

// stableID makes the same id from a name in every run.
func stableID(prefix, name string) string {
	sum := sha256.Sum256([]byte(name))
	return prefix + hex.EncodeToString(sum[:8])
}
