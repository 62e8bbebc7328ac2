// Package audit records who read what (R-OPS-2). Each call becomes one line of JSON with names and numbers, never contents. The
// files survive a kill, are rotated, and may be shared by processes. Servers and the call command write them; activity reads them.
package audit

import (
	"slices"
	"time"
)

// Caller identifies who made a call. Unknown members are empty.
type Caller struct {
	ClientID   string `json:"client_id,omitempty"`   // the OAuth client, as the authorization server or the credential names it
	ClientName string `json:"client_name,omitempty"` // as the MCP client names itself, unverified
	GrantID    string `json:"grant_id,omitempty"`
	PackageID  string `json:"package_id,omitempty"`
	TokenHash  string `json:"caller,omitempty"`     // as logs show it, over HTTP
	RequestID  string `json:"request_id,omitempty"` // as logs show it, over HTTP
}

// Entry is one tool call, or another request that reads the resource server. It contains only names that a response has confirmed,
// so that no other argument value gets in. It never contains queries, record ids or contents.
type Entry struct {
	Time        time.Time `json:"time"` // when the call began, UTC
	Provider    string    `json:"provider,omitempty"`
	Caller                // its members are members of the line
	GrantIDs    []string  `json:"grant_ids,omitempty"`   // if several were read; the caller's grant is then empty
	Tool        string    `json:"tool"`                  // or the method of another request
	Streams     []string  `json:"streams,omitempty"`     // read, or whose schema was read
	Connections []string  `json:"connections,omitempty"` // read, as far as responses name them
	Fields      []string  `json:"fields,omitempty"`      // returned, or used in a filter, order, group or search
	Rows        int       `json:"rows"`                  // records, hits or groups returned to the caller
	RecordsRead int       `json:"records_read"`          // returned to the adapter by the resource server
	Reads       int       `json:"reads"`                 // requests to the resource server
	Code        string    `json:"code"`                  // ok, or the code of the error: the adapter's, or a known one of the resource server
	Duration    int64     `json:"duration_ms"`
}

// AllFields is listed in Fields for whole records. No field has this name (806c).
const AllFields = "*"

// Limits of one line. File systems write much longer ones at once.
const (
	maxNames       = 32  // in each list
	maxNameBytes   = 128 // longer names are left out
	maxClientBytes = 64  // of ClientName
)

// addName adds a new name within the limits.
func addName(names []string, name string) []string {
	if name == "" || len(name) > maxNameBytes || len(names) >= maxNames || slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}
