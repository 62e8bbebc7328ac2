package fanout

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

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

const tryLater = "try again later"

// remedy returns how to read the source again.
func (a absence) remedy() string {
	switch {
	case !a.isUnauthorized():
		return tryLater
	case a.source.Reconnect != "":
		return "to have it approved again, the user can run: " + a.source.Reconnect
	}
	return "ask its owner to approve it again, or choose another source"
}

// revoked returns the refusal of a package without an active member (R-PKG-1).
func (r *Reader) revoked() *tool.Error {
	ended := r.ended(nil)
	refusal := &tool.Error{
		Code:                   tool.PackageRevoked,
		Message:                "no active source is left; connect again to have the sources approved",
		UnavailableConnections: unavailable(ended),
	}
	if len(ended) > 0 {
		refusal.Cause = ended[0].err
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

// unavailable lists the first missing sources, or nil (R-PKG-8).
func unavailable(missing []absence) json.RawMessage {
	var rows []json.RawMessage
	for _, each := range missing[:min(len(missing), maxUnavailable)] {
		rows = append(rows, each.identity().Encode())
	}
	if rows == nil {
		return nil
	}
	return rawjson.Array(rows)
}

// ReasonInactive is the reason of a source that membership marks as ended.
const ReasonInactive = "grant_inactive"

// EndedError is the error of a grant that has ended. Its resource server was not asked.
type EndedError struct {
	Reason  string // a code of the resource server or the adapter
	Message string // completes a sentence about the source
}

func (e *EndedError) Error() string { return e.Message }

// errInactive is the default reason for an inactive source.
var errInactive = &EndedError{Reason: ReasonInactive, Message: "its grant was revoked or has ended"}

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
	for _, each := range r.active {
		if each.ConnectionID == asked.ConnectionID && each.GrantID != asked.GrantID {
			others = each.addTo(others)
		}
	}
	if others == nil {
		return err
	}
	return &OtherGrantsError{err, others}
}

// absence is a source that is missing in a merged response (R-PKG-6).
type absence struct {
	source *Source
	err    error
}

// ended returns the inactive sources that had one of the streams.
func (r *Reader) ended(streams []string) []absence {
	var ended []absence
	for _, source := range r.inactive {
		if source.grantsAny(streams) {
			ended = append(ended, absence{source, source.Missing})
		}
	}
	return ended
}

// cause returns why a source is missing: a code of its resource server or of the adapter, the HTTP status or 0, and the request id.
func (a absence) cause() (reason string, status int, requestID string) {
	var refused *rs.Error
	var failure *rs.Failure
	var ended *EndedError
	switch {
	case errors.As(a.err, &ended):
		return ended.Reason, 0, ""
	case errors.As(a.err, &refused):
		return refused.Code, refused.Status, refused.RequestID
	case errors.As(a.err, &failure):
		return string(failure.Reason), failure.Status, failure.RequestID
	}
	return string(rs.Unreachable), 0, ""
}

// identity returns the members that name the source and the reason.
func (a absence) identity() rawjson.Object {
	reason, status, requestID := a.cause()
	members := append(a.source.identity(), rawjson.String("reason", reason))
	if status != 0 {
		members = append(members, rawjson.Int("http_status", int64(status)))
	}
	if requestID != "" {
		members = append(members, rawjson.String("request_id", requestID))
	}
	return members
}

// unreadable returns a sentence with the reason and the remedy.
func (a absence) unreadable(which string) string {
	return fmt.Sprintf("the source %s cannot be read: %s; %s", which, a.err, a.remedy())
}

// isUnauthorized reports whether only a new approval by the owner helps.
func (a absence) isUnauthorized() bool {
	_, status, _ := a.cause()
	_, hasEnded := errors.AsType[*EndedError](a.err)
	return hasEnded || status == http.StatusUnauthorized || status == http.StatusForbidden
}

// warning returns a warning with the reason and what to do.
func (a absence) warning(next string) json.RawMessage {
	if a.isUnauthorized() {
		next = a.remedy()
	}
	reason, _, _ := a.cause()
	members := warning(string(tool.SourceUnavailable), fmt.Sprintf("the source %s is missing (%s); %s", a.source.name(), reason, next))
	return append(members, a.identity()...).Encode()
}

// warningsOf returns warnings about sources that did not answer and about sources that have ended. Next is the advice for sources that did
// not answer. If it is empty, each of their warnings names its source.
func warningsOf(missing, ended []absence, next string) (warnings []rawjson.Value) {
	for _, each := range missing {
		warnings = append(warnings, each.warning(cmp.Or(next, each.retryAlone())))
	}
	for _, each := range ended {
		warnings = append(warnings, each.warning(each.remedy()))
	}
	return warnings
}

// miss reports missing sources to the tool call of the context.
func miss(ctx context.Context, missing ...absence) {
	for _, each := range missing {
		tool.Miss(ctx, each.err)
	}
}

// retryAlone returns how to ask one source again.
func (a absence) retryAlone() string {
	if a.source.ConnectionID == "" {
		return tryLater
	}
	return "to ask it alone, call again with connection_id " + string(rawjson.Quote(a.source.ConnectionID))
}

// failed returns the error of a call that no source answered. It is the first refusal if all are equal or all concern authorization
// (R-PKG-6), and otherwise an error that names each source.
func failed(missing []absence, url string) error {
	var first *rs.Error
	areEqual, areUnauthorized := true, true
	for _, each := range missing {
		if each.err == errInactive {
			continue // it was not asked
		}
		var refused *rs.Error
		if !errors.As(each.err, &refused) {
			return allMissing(missing)
		}
		first = cmp.Or(first, refused)
		areEqual = areEqual && refused.Status == first.Status && refused.Code == first.Code
		areUnauthorized = areUnauthorized && each.isUnauthorized()
	}
	if first == nil || !areEqual && !areUnauthorized {
		return allMissing(missing)
	}
	passed := *first
	passed.URL = url
	for _, each := range missing {
		if needed, ok := errors.AsType[*tool.SignInError](each.err); ok {
			return &tool.SignInError{Cause: &passed, SignIn: needed.SignIn}
		}
	}
	return &passed
}

// allMissing returns the refusal that names each source with its reason.
func allMissing(missing []absence) *tool.Error {
	var named []string
	var causes []error
	for i, each := range missing {
		causes = append(causes, each.err)
		if i < maxUnavailable {
			reason, _, _ := each.cause()
			named = append(named, each.source.name()+": "+reason)
		}
	}
	if more := len(missing) - len(named); more > 0 {
		named = append(named, fmt.Sprintf("and %d more", more))
	}
	return &tool.Error{
		Code: tool.SourceUnavailable,
		Message: fmt.Sprintf("none of the %d granted sources answered (%s); try again, or name one source by connection_id",
			len(missing), strings.Join(named, "; ")),
		UnavailableConnections: unavailable(missing),
		Cause:                  errors.Join(causes...),
	}
}
