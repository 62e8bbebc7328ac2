// Package catalog has the types that the parts of the sandbox share: what a connector declares, what a
// connection holds, and what a grant allows. It has no behaviour beyond small lookups.
package catalog

import (
	"encoding/json"
	"time"
)

// Connector is a kind of source, such as a mail service, and the streams that it declares.
type Connector struct {
	Key     string // short, as in connector_key: "gmail"
	Name    string // for people: "Gmail"
	Streams []Stream
}

// Stream declares one kind of record.
type Stream struct {
	Name             string
	PrimaryKey       []string // field names; more than one makes record ids JSON arrays
	CursorField      string   // the only field that sort accepts, and the default order (descending)
	ConsentTimeField string   // the time that a grant's time range is compared with
	Fields           []Field  // in declared order
	Views            []View
	Relations        []Relation
}

// Field declares one top-level key of a record's data.
type Field struct {
	Name         string
	Type         string   // JSON Schema type: string, integer, number, boolean, array, object; several joined by |
	Format       string   // JSON Schema format such as date-time, or empty
	Role         string   // primary-title, primary-body, author, event-time, …, or empty
	Nullable     bool     // null is a legal value
	Exact        bool     // filter[f]=v is allowed
	Range        []string // operators that filter[f][op]=v allows, of gte gt lte lt
	Lexical      bool     // searched by /v1/search
	Aggregations []string // of count_distinct group_by group_by_time max min sum
}

// View is a named projection.
type View struct {
	Name   string
	Fields []string
}

// Relation names records of another stream of the same connection, for expand.
type Relation struct {
	Name         string
	Target       string // stream name
	Cardinality  string // has_one or has_many
	ForeignKey   string // field of the target that holds the parent's record id
	DefaultLimit int    // has_many only
	MaxLimit     int    // has_many only
}

// Connection is one configured account of a connector.
type Connection struct {
	ID           string // "cin_mail_personal"
	ConnectorKey string
	DisplayName  string // "Personal mail"
}

// Record is one row of one stream of one connection.
type Record struct {
	ConnectionID string
	Stream       string
	Key          string          // canonical record id: the key itself, or a minified JSON array
	Data         json.RawMessage // an object; nil when deleted
	EmittedAt    time.Time
	DeletedAt    time.Time // zero unless this is a tombstone
}

// Blob is a binary object that a record refers to.
type Blob struct {
	ID           string
	ConnectionID string
	ContentType  string
	Bytes        []byte
}

// Grant is the access that the owner allowed one client.
type Grant struct {
	ID           string
	ClientID     string
	ConnectorKey string // empty: the grant spans connectors
	Streams      []StreamGrant
	ExpiresAt    time.Time // zero: does not expire
	Revoked      bool

	// The access mode and purpose that the client stated. Empty means continuous, and the sandbox's default purpose.
	AccessMode         string // continuous or single_use
	PurposeCode        string // a URI
	PurposeDescription string
}

// StreamGrant is one stream of a grant.
type StreamGrant struct {
	Name          string
	ConnectionIDs []string // the connections it covers, at least one
	Fields        []string // nil: all
	Since, Until  time.Time
	Resources     []string // record ids; nil: all
}

// Access is the access of a bearer, as the authorization server reports it to the resource server. Kind is client,
// mcp_package or owner.
type Access struct {
	Kind     string
	ClientID string
	Grants   []Grant // one for a client token, none for an owner token
}

// Dataset is everything that the sandbox serves.
type Dataset struct {
	Connectors  []Connector
	Connections []Connection
	Records     []Record
	Blobs       []Blob
}
