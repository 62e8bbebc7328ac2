package fanout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// EndedError is the error of a grant that has ended. Its resource server was not asked.
type EndedError struct {
	Reason  string // a code of the resource server or the adapter
	Message string // completes a sentence about the source
}

func (e *EndedError) Error() string { return e.Message }

// errInactive is the default reason for an inactive source.
var errInactive = &EndedError{Reason: ReasonInactive, Message: "its grant was revoked or has ended"}

// absence is a source that is missing in a merged response (R-PKG-6).
type absence struct {
	source *Source
	err    error
	next   string // what to do, unless only its owner can help; empty: ask the source alone
}

const tryLater = "try again later"

// ended returns the inactive sources that had one of the streams.
func (r *Reader) ended(streams []string) []absence {
	return keep(r.inactive, func(a absence) bool { return a.source.grantsAny(streams) })
}

// cause returns why a source is missing: a code of its resource server or of the adapter, the HTTP status or 0, and the
// request id.
func (a absence) cause() (reason string, status int, requestID string) {
	if ended, ok := errors.AsType[*EndedError](a.err); ok {
		return ended.Reason, 0, ""
	}
	if refused, ok := errors.AsType[*rs.Error](a.err); ok {
		return refused.Code, refused.Status, refused.RequestID
	}
	if failure, ok := errors.AsType[*rs.Failure](a.err); ok {
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
	return append(members, rawjson.Texts("request_id", requestID)...)
}

// isUnauthorized reports whether only a new approval by the owner helps.
func (a absence) isUnauthorized() bool {
	_, status, _ := a.cause()
	_, hasEnded := errors.AsType[*EndedError](a.err)
	return hasEnded || status == http.StatusUnauthorized || status == http.StatusForbidden
}

func (a absence) advice() string {
	switch {
	case a.isUnauthorized() && a.source.Reconnect != "":
		return "to have it approved again, the user can run: " + a.source.Reconnect
	case a.isUnauthorized():
		return "ask its owner to approve it again, or choose another source"
	case a.next == "" && a.source.ConnectionID != "":
		return "to ask it alone, call again with connection_id " + string(rawjson.Quote(a.source.ConnectionID))
	}
	return cmp.Or(a.next, tryLater)
}

// unreadable returns a sentence with the reason and the advice.
func (a absence) unreadable(which string) string {
	return fmt.Sprintf("the source %s cannot be read: %s; %s", which, a.err, a.advice())
}

// report adds missing sources to the tool call of the context, and returns a warning about each.
func report(ctx context.Context, missing []absence) []rawjson.Value {
	var warnings []rawjson.Value
	for _, each := range missing {
		tool.Miss(ctx, each.err)
		reason, _, _ := each.cause()
		members := warning(string(tool.SourceUnavailable), fmt.Sprintf("the source %s is missing (%s); %s", each.source.name(), reason, each.advice()))
		warnings = append(warnings, append(members, each.identity()...).Encode())
	}
	return warnings
}

// failed returns the error of a call that no source answered. It is the first refusal if all are equal or all concern
// authorization (R-PKG-6), and otherwise an error that names each source.
func failed(missing []absence, url string) error {
	var first *rs.Error
	areEqual, areUnauthorized := true, true
	for _, each := range missing {
		if each.err == errInactive {
			continue // it was not asked
		}
		refused, isRefused := errors.AsType[*rs.Error](each.err)
		if !isRefused {
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
			return &tool.SignInError{Cause: &passed, Command: needed.Command, SignIn: needed.SignIn}
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
	refusal := unavailable(tool.SourceUnavailable, fmt.Sprintf("none of the %d granted sources answered (%s); try again, or name one source by connection_id",
		len(missing), strings.Join(named, "; ")), missing)
	refusal.Cause = errors.Join(causes...)
	return refusal
}
