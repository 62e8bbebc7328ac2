package fanout

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// ReasonInactive is the reason of a source that membership marks as ended.
const ReasonInactive = "grant_inactive"

// absence is a source that is missing in a merged answer (R-PKG-6).
type absence struct {
	source *Source
	err    error // nil: its grant is not active
}

// ended are the inactive sources that had one of the streams.
func (r *Reader) ended(streams []string) []absence {
	var ended []absence
	for _, source := range r.inactive {
		if source.grantsAny(streams) {
			ended = append(ended, absence{source: source})
		}
	}
	return ended
}

// cause is why a source is missing.
type cause struct {
	reason    string // a code of its resource server or of the adapter
	status    int    // HTTP status, or 0 when there was none
	requestID string
}

func (a absence) cause() cause {
	var refused *rs.Error
	var failure *rs.Failure
	switch {
	case a.err == nil:
		return cause{reason: ReasonInactive}
	case errors.As(a.err, &refused):
		return cause{reason: refused.Code, status: refused.Status, requestID: refused.RequestID}
	case errors.As(a.err, &failure):
		return cause{reason: string(failure.Reason), status: failure.Status, requestID: failure.RequestID}
	}
	return cause{reason: string(rs.Unreachable)}
}

// identity names the source and why it is missing.
func (a absence) identity() rawjson.Object {
	cause := a.cause()
	members := append(a.source.identity(), rawjson.String("reason", cause.reason))
	if cause.status != 0 {
		members = append(members, rawjson.Int("http_status", int64(cause.status)))
	}
	if cause.requestID != "" {
		members = append(members, rawjson.String("request_id", cause.requestID))
	}
	return members
}

// unauthorized reports whether the source is lost for as long as its owner does nothing.
func (a absence) unauthorized() bool {
	status := a.cause().status
	return a.err == nil || status == http.StatusUnauthorized || status == http.StatusForbidden
}

// warning says that the source is missing and what to do about it.
func (a absence) warning(next string) json.RawMessage {
	message := "the source " + a.source.name() + " is missing (" + a.cause().reason + "); "
	if a.unauthorized() {
		message += approveAgain
	} else {
		message += next
	}
	members := rawjson.Object{rawjson.String("code", string(tool.SourceUnavailable)), rawjson.String("message", message)}
	return append(members, a.identity()...).Encode()
}

// retryAlone is how to ask one source again.
func (a absence) retryAlone() string {
	if a.source.ConnectionID == "" {
		return "try again later"
	}
	return "to ask it alone, call again with connection_id " + string(rawjson.Quote(a.source.ConnectionID))
}

// failed is the error of a call in which no source answered. When all say the same, or all that the caller
// is not allowed to, that is the answer (R-PKG-6); else each is named.
func failed(missing []absence, url string) error {
	var first *rs.Error
	agreed, unauthorized := true, true
	for _, each := range missing {
		if each.err == nil {
			continue // it was not asked; its warning says enough
		}
		var refused *rs.Error
		if !errors.As(each.err, &refused) {
			return allMissing(missing)
		}
		first = cmp.Or(first, refused)
		agreed = agreed && refused.Status == first.Status && refused.Code == first.Code
		unauthorized = unauthorized && each.unauthorized()
	}
	if first == nil || !agreed && !unauthorized {
		return allMissing(missing)
	}
	passed := *first
	passed.URL = url
	return &passed
}

// allMissing is the refusal when no source answered and they do not agree on why. It names each.
func allMissing(missing []absence) *tool.Error {
	var said []string
	var rows []json.RawMessage
	var causes []error
	for _, each := range missing {
		causes = append(causes, each.err)
		if len(rows) < unavailableShown {
			said = append(said, each.source.name()+": "+each.cause().reason)
			rows = append(rows, each.identity().Encode())
		}
	}
	if more := len(missing) - len(rows); more > 0 {
		said = append(said, fmt.Sprintf("and %d more", more))
	}
	return &tool.Error{
		Code: tool.SourceUnavailable,
		Message: fmt.Sprintf("none of the %d sources of this package answered (%s); try again, or name one source by connection_id",
			len(missing), strings.Join(said, "; ")),
		UnavailableConnections: rawjson.Array(rows),
		Cause:                  errors.Join(causes...),
	}
}
