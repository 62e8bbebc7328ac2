// Package audit keeps account of who read what (R-OPS-2): a line of JSON for each call, with the names of what was read and never
// its contents, and files of such lines that survive a kill, are bounded, and are shared by the processes of one user.
package audit

import (
	"slices"
	"time"
)

// Caller is on whose behalf a call was made. Members that are not known are empty.
type Caller struct {
	ClientID   string `json:"client_id,omitempty"`   // the OAuth client, as the authorization server or the credential names it
	ClientName string `json:"client_name,omitempty"` // what an MCP client says of itself: a claim
	GrantID    string `json:"grant_id,omitempty"`
	PackageID  string `json:"package_id,omitempty"`
	TokenHash  string `json:"caller,omitempty"`     // as logs show it, over HTTP
	RequestID  string `json:"request_id,omitempty"` // as logs show it, over HTTP
}

// Entry is one call of a tool, one read of a resource, which a tool answers, or another request for which the resource server is
// read. Names stand there only after the resource server confirmed them with an answer, so that no other value of an argument can.
// No record's id or content and no query stands there.
type Entry struct {
	Time        time.Time `json:"time"` // when the call began, UTC
	Provider    string    `json:"provider,omitempty"`
	Caller                // whose members stand beside the others
	GrantIDs    []string  `json:"grant_ids,omitempty"`   // that were read, when there were several; the caller has no grant then
	Tool        string    `json:"tool"`                  // or the method of a request that no tool answers
	Streams     []string  `json:"streams,omitempty"`     // that were read, or whose schema was
	Connections []string  `json:"connections,omitempty"` // that were read, as far as answers name them
	Fields      []string  `json:"fields,omitempty"`      // that were given, or used: in a filter, an order, a group or a search
	Rows        int       `json:"rows"`                  // records, hits or groups that the caller was given
	RecordsRead int       `json:"records_read"`          // that the resource server gave to the adapter
	Reads       int       `json:"reads"`                 // reads of the resource server that the call made
	Code        string    `json:"code"`                  // ok, or the code of the error: the adapter's, or a known one of the resource server
	Duration    int64     `json:"duration_ms"`
}

// AllFields stands among the fields when whole records were given. No field is named so (806c).
const AllFields = "*"

// Bounds of one line, which stays far below what a file system writes at once.
const (
	namesMost      = 32  // in each list
	nameBytesMost  = 128 // of a name; a longer one is left out
	claimBytesMost = 64  // of what a client says of itself
)

// addName adds a name that is not there yet, and keeps the list within its bounds.
func addName(names []string, name string) []string {
	if name == "" || len(name) > nameBytesMost || len(names) >= namesMost || slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}
