package fanout

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Bounds of one refusal; the schema tool lists every source.
const (
	availableShown   = 20
	unavailableShown = 10
	streamsShown     = 50
)

const approveAgain = "ask its owner to approve it again, or choose another source"

// revoked is the refusal of a package without an active member (R-PKG-1).
func (r *Reader) revoked() *tool.Error {
	return &tool.Error{
		Code:                   tool.PackageRevoked,
		Message:                "the package has no active source left; connect again to have its sources approved",
		UnavailableConnections: unavailable(nil, r.inactive),
	}
}

// ungranted is the refusal of streams that no active source has.
func (r *Reader) ungranted(streams []string) *tool.Error {
	quoted := string(rawjson.Strings("", streams).Value)
	ended := keep(r.inactive, func(s *Source) bool { return s.Streams != nil && s.grantsAny(streams) })
	if len(ended) > 0 {
		return &tool.Error{
			Code:                   tool.SourceUnavailable,
			Message:                fmt.Sprintf("the source that grants %s is not active: its grant was revoked or has ended; %s", quoted, approveAgain),
			UnavailableConnections: unavailable(nil, ended),
		}
	}
	var known []string
	for _, source := range r.active {
		known = append(known, source.Streams...)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	return &tool.Error{
		Code:     tool.InvalidArguments,
		Message:  fmt.Sprintf("no source of this package grants %s; schema lists every stream and its source", quoted),
		Accepted: known[:min(len(known), streamsShown)],
	}
}

// refusal is that of a connection or of the lack of one (R-ERR-5). It offers the active sources that have the streams, and
// marks the inactive ones apart.
func (r *Reader) refusal(code tool.Code, streams []string, form string, values ...any) *tool.Error {
	refusal := &tool.Error{
		Code: code, Message: fmt.Sprintf(form, values...), Param: tool.SchemaConnectionID,
		UnavailableConnections: unavailable(streams, r.inactive),
	}
	offered, total := available(r.granting(streams))
	if total > 0 {
		refusal.RetryWith, refusal.AvailableConnections = "connection_id", offered
	}
	if total > availableShown {
		refusal.AvailableTotal = total
	}
	return refusal
}

// available are the first of the sources, each connection once, and how many there are.
func available(sources []*Source) (json.RawMessage, int) {
	var rows []json.RawMessage
	seen := map[string]bool{}
	for _, source := range sources {
		if source.ConnectionID == "" || seen[source.ConnectionID] {
			continue // it cannot be told from the others by connection_id
		}
		seen[source.ConnectionID] = true
		rows = append(rows, source.identity().Encode())
	}
	return rawjson.Array(rows[:min(len(rows), availableShown)]), len(rows)
}

// unavailable are inactive sources that have one of the streams, or nil without any (R-PKG-8).
func unavailable(streams []string, inactive []*Source) json.RawMessage {
	var rows []json.RawMessage
	for _, source := range inactive {
		if source.grantsAny(streams) && len(rows) < unavailableShown {
			rows = append(rows, append(source.identity(), rawjson.String("reason", ReasonInactive)).Encode())
		}
	}
	if rows == nil {
		return nil
	}
	return rawjson.Array(rows)
}
