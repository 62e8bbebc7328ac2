package flow

import (
	"encoding/json"
	"time"
)

// Keeper stores the owner's grants and their tokens. It must be safe for concurrent use.
type Keeper interface {
	// CheckDetail refuses an element of authorization_details (RFC 9396) that asks for what does not exist.
	CheckDetail(detail json.RawMessage) error
	// CheckInstances refuses details whose connections are unknown or ambiguous.
	CheckInstances(details []json.RawMessage) error
	// Choices lists the connections that the owner can share: all, or those that details request.
	Choices(details []json.RawMessage) []Choice
	// Approve makes a grant for one connection, or a package of grants for several.
	Approve(approval Approval) (Approved, error)
	// Issue activates a token.
	Issue(issued Issued)
	// Issued returns a token that Issue activated.
	Issued(token string) (Issued, bool)
	// RevokeToken ends one token. Other tokens of the same grant stay valid.
	RevokeToken(token string)
	// RevokeReady ends a token that was ready at the start, for its client, and reports whether it was one.
	RevokeReady(token, clientID string) bool
	// Revoke ends a grant or a package with everything that was issued under it.
	Revoke(id string) error
}

// Choice is a connection that the owner can share.
type Choice struct {
	ConnectionID string
	DisplayName  string
	Connector    string // for people
	Streams      []string
	Asked        bool // the client asked for it, so it is ticked from the start
}

// DetailError is a refusal of authorization_details with a specific code.
type DetailError struct {
	Code    string
	Message string
}

func (e *DetailError) Error() string { return e.Message }

// Approval is the access to which the owner agreed.
type Approval struct {
	ClientID      string
	ClientName    string // for people; may be empty
	ConnectionIDs []string
	Details       []json.RawMessage // what the client asked for; none: everything of the connections
}

// Approved names what an approval made: a grant or a package, never both.
type Approved struct {
	GrantID   string
	PackageID string
	Details   json.RawMessage // authorization_details as granted; null for a package
	Document  json.RawMessage // the grant as agent connect hands it out; null for a package
	SingleUse bool            // one token of a day, and no refreshing
}

// id returns the id for Keeper.Revoke.
func (a Approved) id() string {
	if a.PackageID != "" {
		return a.PackageID
	}
	return a.GrantID
}

// Issued is an access token with its grants.
type Issued struct {
	Token           string
	AuthorizationID string // which run of a flow it came from
	ClientID        string
	Approved        Approved
	Resources       []string // that the client asked for (RFC 8707), none if it did not ask
	IssuedAt        time.Time
	ExpiresAt       time.Time
	Revoked         bool
}
