// Package tracecontext reads the trace of a caller's request (W3C Trace Context, W3C Baggage) and adds it to the
// requests that the adapter sends for it. Malformed parts are ignored, so that a caller cannot write anything else into
// a header.
package tracecontext

import (
	"cmp"
	"context"
	"net/http"
	"regexp"
	"strings"
)

// Names of the members of _meta (MCP SEP-414) and of the headers.
const (
	parentName  = "traceparent"
	stateName   = "tracestate"
	baggageName = "baggage"
)

// Limits in bytes and list members, which every implementation of the recommendations must accept.
const (
	maxStateBytes   = 512
	maxStates       = 32
	maxBaggageBytes = 8192
	maxBaggage      = 64
)

// Context is the trace of a request. Each part is well-formed or empty.
type Context struct {
	Parent  string // traceparent of version 00
	State   string // tracestate; empty without a Parent
	Baggage string
}

// Read reads the parts that get returns for their names. Get returns an empty string for a missing part.
func Read(get func(name string) string) Context {
	var c Context
	if parent := get(parentName); isParent(parent) {
		c.Parent = parent
		c.State = parseList(get(stateName), maxStateBytes, maxStates, isState)
	}
	c.Baggage = parseList(get(baggageName), maxBaggageBytes, maxBaggage, baggageForm.MatchString)
	return c
}

// OfHeader reads the trace of an HTTP request without its baggage, which proxies write and which may be confidential.
func OfHeader(header http.Header) Context {
	return Read(func(name string) string {
		values := header.Values(name)
		if name == baggageName || name == parentName && len(values) != 1 {
			return ""
		}
		return strings.Join(values, ",")
	})
}

// Or returns the context with its missing parts from another.
func (c Context) Or(other Context) Context {
	if c.Parent == "" {
		c.Parent, c.State = other.Parent, other.State
	}
	c.Baggage = cmp.Or(c.Baggage, other.Baggage)
	return c
}

// TraceID returns the trace's id, 32 hexadecimal digits. It is empty without a Parent.
func (c Context) TraceID() string {
	parts := parentForm.FindStringSubmatch(c.Parent)
	if parts == nil {
		return ""
	}
	return parts[1]
}

// WriteTo sets the headers of a request. It removes none.
func (c Context) WriteTo(header http.Header) {
	parts := [...]struct{ name, value string }{{parentName, c.Parent}, {stateName, c.State}, {baggageName, c.Baggage}}
	for _, each := range parts {
		if each.value != "" {
			header.Set(each.name, each.value)
		}
	}
}

type contextKey struct{}

// Within returns a context whose requests belong to the trace.
func (c Context) Within(ctx context.Context) context.Context {
	if c == (Context{}) {
		return ctx
	}
	return context.WithValue(ctx, contextKey{}, c)
}

// From returns the trace of a context, or the zero value.
func From(ctx context.Context) Context {
	c, _ := ctx.Value(contextKey{}).(Context)
	return c
}

// parentForm is version 00 of traceparent (W3C Trace Context, section 3.2): an id of 32 digits, one of 16, and two of
// flags.
var parentForm = regexp.MustCompile(`^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$`)

func isParent(text string) bool {
	parts := parentForm.FindStringSubmatch(text)
	return parts != nil && strings.Trim(parts[1], "0") != "" && strings.Trim(parts[2], "0") != ""
}

var (
	// stateForm is a member of tracestate (W3C Trace Context, section 3.3.1.3), with the white space around it.
	stateForm = regexp.MustCompile(`^[ \t]*([a-z0-9][a-z0-9_*/@-]*)=([ -+\--<>-~]*[!-+\--<>-~])[ \t]*$`)
	// baggageForm is a member of baggage with its properties (W3C Baggage, section 3.3).
	baggageForm = regexp.MustCompile(`^[ \t]*` + token + `[ \t]*=[ \t]*` + octets + `([ \t]*;[ \t]*` + token +
		`([ \t]*=[ \t]*` + octets + `)?)*[ \t]*$`)
)

const (
	token  = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
	octets = `[!#-+\--:<-\[\]-~]*`
)

// isState reports whether a text is a member of tracestate. Limits in the expression would cost 0.3 MB and a
// millisecond at every start.
func isState(member string) bool {
	const maxPart = 256 // bytes of the key, and of the value
	parts := stateForm.FindStringSubmatch(member)
	return parts != nil && len(parts[1]) <= maxPart && len(parts[2]) <= maxPart
}

// parseList returns a list if it is well-formed and within the limits, and otherwise nothing. A list may have empty
// members.
func parseList(text string, maxBytes, maxMembers int, isMember func(string) bool) string {
	if strings.Trim(text, ", \t") == "" || len(text) > maxBytes || strings.Count(text, ",") >= maxMembers {
		return ""
	}
	for member := range strings.SplitSeq(text, ",") {
		if strings.Trim(member, " \t") != "" && !isMember(member) {
			return ""
		}
	}
	return text
}
