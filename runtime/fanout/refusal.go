package fanout

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
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
	refusal := &tool.Error{
		Code:                   tool.PackageRevoked,
		Message:                "no active source is left; connect again to have the sources approved",
		UnavailableConnections: unavailable(r.inactive),
	}
	if len(r.inactive) > 0 {
		refusal.Cause = r.inactive[0].err
	}
	return refusal
}

// ungranted returns the refusal of streams that no active source has.
func (r *Reader) ungranted(streams []string) *tool.Error {
	quoted := string(rawjson.Strings("", streams).Value)
	ended := keep(r.ended(streams), func(a absence) bool { return a.source.Streams != nil })
	if len(ended) > 0 {
		return &tool.Error{
			Code:                   tool.SourceUnavailable,
			Message:                ended[0].unreadable("that grants " + quoted),
			UnavailableConnections: unavailable(ended),
			Cause:                  ended[0].err,
		}
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

// refusal returns the refusal of a wrong or missing connection (R-ERR-5). It lists the active sources of the streams, and separately the
// inactive ones.
func (r *Reader) refusal(code tool.Code, streams []string, form string, values ...any) *tool.Error {
	refusal := &tool.Error{
		Code: code, Message: fmt.Sprintf(form, values...), Param: tool.SchemaConnectionID,
		UnavailableConnections: unavailable(r.ended(streams)),
	}
	var offered []json.RawMessage
	seen := map[string]bool{"": true} // connection_id cannot choose such a source
	for _, source := range r.granting(streams) {
		if !seen[source.ConnectionID] {
			seen[source.ConnectionID] = true
			offered = append(offered, source.identity().Encode())
		}
	}
	if offered != nil {
		refusal.RetryWith = "connection_id"
		refusal.AvailableConnections = rawjson.Array(offered[:min(len(offered), maxAvailable)])
	}
	if len(offered) > maxAvailable {
		refusal.AvailableTotal = len(offered)
	}
	return refusal
}

// OtherGrantsError is a refusal by one of several grants of a connection. The other grants may have the item. They were not asked, because
// no read is repeated with another credential (R-ERR-3).
type OtherGrantsError struct {
	Cause  error    // of the grant that was asked
	Others []string // grant ids
}

func (e *OtherGrantsError) Error() string { return e.Cause.Error() }

// Unwrap returns the refusal.
func (e *OtherGrantsError) Unwrap() error { return e.Cause }

// OtherGrants returns the ids of the grants that were not asked.
func (e *OtherGrantsError) OtherGrants() []string { return e.Others }

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
