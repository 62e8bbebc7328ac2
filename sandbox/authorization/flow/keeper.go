package flow

import (
	"encoding/json"
	"time"
)

// Keeper keeps the grants that the owner gives and the tokens that stand for them. It is safe for
// concurrent use.
type Keeper interface {
	// CheckDetail refuses an element of authorization_details (RFC 9396) that asks for what does not exist.
	CheckDetail(detail json.RawMessage) error
	// CheckInstances refuses details whose connections are unknown, or cannot be told.
	CheckInstances(details []json.RawMessage) error
	// Choices lists the connections that the owner can share: all, or those that details ask for.
	Choices(details []json.RawMessage) []Choice
	// Approve makes a grant for one connection, or a package of grants for several.
	Approve(approval Approval) (Approved, error)
	// Issue makes a token work.
	Issue(issued Issued)
	// Issued finds a token that Issue made.
	Issued(token string) (Issued, bool)
	// RevokeToken ends one token. Others of the same grant go on.
	RevokeToken(token string)
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

// DetailError is a refusal of authorization_details that has a code of its own.
type DetailError struct {
	Code    string
	Message string
}

func (e *DetailError) Error() string { return e.Message }

// Approval is what the owner agreed to.
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

// id is what Keeper.Revoke takes.
func (a Approved) id() string {
	if a.PackageID != "" {
		return a.PackageID
	}
	return a.GrantID
}

// Issued is an access token and what it stands for.
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
