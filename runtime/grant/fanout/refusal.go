package fanout

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Limits of one refusal. The schema tool lists every source.
const (
	maxAvailable   = 20
	maxUnavailable = 10
	maxStreams     = 50
)

// revoked returns the refusal of a package without an active member (R-PKG-1).
func (r *Reader) revoked() *tool.Error {
	return unavailable(tool.PackageRevoked, "no active source is left; connect again to have the sources approved", r.inactive)
}

// ungranted returns the refusal of streams that no active source has.
func (r *Reader) ungranted(streams []string) *tool.Error {
	quoted := string(rawjson.Strings("", streams).Value)
	if ended := keep(r.ended(streams), func(a absence) bool { return a.source.Streams != nil }); len(ended) > 0 {
		return unavailable(tool.SourceUnavailable, ended[0].unreadable("that grants "+quoted), ended)
	}
	var known []string
	for _, source := range r.active {
		known = append(known, source.Streams...)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	return &tool.Error{
		Code:       tool.InvalidArguments,
		Message:    fmt.Sprintf("no source grants %s; schema lists every stream and its source", quoted),
		Accepted:   known[:min(len(known), maxStreams)],
		AboutNames: true,
	}
}

// unavailable returns the refusal of a read without the missing sources. Its cause is why the first of them is missing.
func unavailable(code tool.Code, message string, missing []absence) *tool.Error {
	refusal := &tool.Error{Code: code, Message: message, UnavailableConnections: identities(missing, maxUnavailable)}
	if len(missing) > 0 {
		refusal.Cause = missing[0].err
	}
	return refusal
}

// refusal returns the refusal of a wrong or missing connection (R-ERR-5). It lists inactive sources separately
// (R-PKG-8).
func (r *Reader) refusal(code tool.Code, streams []string, form string, values ...any) *tool.Error {
	seen := map[string]bool{"": true} // connection_id cannot choose such a source
	offered := keep(r.granting(streams), func(s *Source) bool {
		isNew := !seen[s.ConnectionID]
		seen[s.ConnectionID] = true
		return isNew
	})
	refusal := &tool.Error{
		Code: code, Message: fmt.Sprintf(form, values...), Param: tool.SchemaConnectionID,
		AvailableConnections: identities(offered, maxAvailable), UnavailableConnections: identities(r.ended(streams), maxUnavailable),
	}
	if offered != nil {
		refusal.RetryWith = wire.ConnectionID
	}
	if len(offered) > maxAvailable {
		refusal.AvailableTotal = len(offered)
	}
	return refusal
}

// identities returns the first sources as a list, or nil for an empty one.
func identities[S interface{ identity() rawjson.Object }](sources []S, limit int) json.RawMessage {
	var rows []json.RawMessage
	for _, each := range sources[:min(len(sources), limit)] {
		rows = append(rows, each.identity().Encode())
	}
	if rows == nil {
		return nil
	}
	return rawjson.Array(rows)
}

// OtherGrantsError is a refusal by one of several grants of a connection. The other grants may have the item. They were
// not asked, because no read is repeated with another credential (R-ERR-3).
type OtherGrantsError struct {
	error           // of the grant that was asked
	others []string // grant ids
}

func (e *OtherGrantsError) Unwrap() error { return e.error }

// OtherGrants returns the ids of the grants that were not asked.
func (e *OtherGrantsError) OtherGrants() []string { return e.others }

// withOtherGrants adds the other grants of the connection to an error if they may have the item.
func (r *Reader) withOtherGrants(asked *Source, request rs.Request, err error) error {
	_, isOpen := request.Sources.(rs.NamedSource)
	refused, ok := errors.AsType[*rs.Error](err)
	if !isOpen || !ok || !slices.Contains([]int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound}, refused.Status) {
		return err
	}
	var others []string
	for _, each := range r.having(asked.ConnectionID) {
		if each.GrantID != asked.GrantID {
			others = each.addTo(others)
		}
	}
	if others == nil {
		return err
	}
	return &OtherGrantsError{err, others}
}
