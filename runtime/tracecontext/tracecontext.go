// Package tracecontext reads the trace of a caller's request (W3C Trace Context, W3C Baggage) and adds it to the requests that the
// adapter sends for it. Malformed parts count as absent, so that no caller can write anything else into a header.
package tracecontext

import (
	"cmp"
	"context"
	"net/http"
	"regexp"
	"strings"
)

// Names of the members of _meta (MCP SEP-414), which are those of the headers too.
const (
	ParentName  = "traceparent"
	StateName   = "tracestate"
	BaggageName = "baggage"
)

// Bounds of what is passed on, in bytes and list members: what the two recommendations ask everybody to take.
const (
	longestState   = 512
	mostStates     = 32
	longestBaggage = 8192
	mostBaggage    = 64
)

// Context is the trace of a request. Each part is well-formed or empty.
type Context struct {
	Parent  string // traceparent of version 00
	State   string // tracestate; empty without a Parent
	Baggage string
}

// Read reads the parts that get gives by their names. Where get has none it gives an empty string.
func Read(get func(name string) string) Context {
	var c Context
	if parent := get(ParentName); isParent(parent) {
		c.Parent = parent
		c.State = listed(get(StateName), longestState, mostStates, isState)
	}
	c.Baggage = listed(get(BaggageName), longestBaggage, mostBaggage, baggageForm.MatchString)
	return c
}

// OfHeader reads the trace of an HTTP request without its baggage, which comes from the proxies before this server and is not meant for
// others.
func OfHeader(header http.Header) Context {
	return Read(func(name string) string {
		values := header.Values(name)
		if name == BaggageName || name == ParentName && len(values) != 1 {
			return ""
		}
		return strings.Join(values, ",")
	})
}

// Or returns the context with what it lacks from another.
func (c Context) Or(other Context) Context {
	if c.Parent == "" {
		c.Parent, c.State = other.Parent, other.State
	}
	c.Baggage = cmp.Or(c.Baggage, other.Baggage)
	return c
}

// TraceID is the trace's id, 32 hexadecimal digits; empty without a Parent.
func (c Context) TraceID() string {
	parts := parentForm.FindStringSubmatch(c.Parent)
	if parts == nil {
		return ""
	}
	return parts[1]
}

// WriteTo sets the headers of a request. It removes none.
func (c Context) WriteTo(header http.Header) {
	for name, value := range map[string]string{ParentName: c.Parent, StateName: c.State, BaggageName: c.Baggage} {
		if value != "" {
			header.Set(name, value)
		}
	}
}

type contextKey struct{}

// Within returns a context under which everything that is asked belongs to the trace.
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

// parentForm is version 00 of traceparent (W3C Trace Context, section 3.2): an id of 32 digits, one of 16, and two of flags.
var parentForm = regexp.MustCompile(`^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$`)

func isParent(text string) bool {
	parts := parentForm.FindStringSubmatch(text)
	return parts != nil && strings.Trim(parts[1], "0") != "" && strings.Trim(parts[2], "0") != ""
}

var (
	// stateForm is a member of tracestate (W3C Trace Context, section 3.3.1.3), with the white space around it.
	stateForm = regexp.MustCompile(`^[ \t]*([a-z0-9][a-z0-9_*/@-]*)=([ -+\--<>-~]*[!-+\--<>-~])[ \t]*$`)
	// baggageForm is a member of baggage with its properties (W3C Baggage, section 3.3).
	baggageForm = regexp.MustCompile(`^[ \t]*` + token + `[ \t]*=[ \t]*` + octets + `([ \t]*;[ \t]*` + token + `([ \t]*=[ \t]*` + octets + `)?)*[ \t]*$`)
)

const (
	token  = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
	octets = `[!#-+\--:<-\[\]-~]*`
)

// longestPart is how many bytes the key of a member of tracestate may have, and its value.
const longestPart = 256

// isState looks at the lengths itself: in the expression they take 0.3 MB and a millisecond of every start.
func isState(member string) bool {
	parts := stateForm.FindStringSubmatch(member)
	return parts != nil && len(parts[1]) <= longestPart && len(parts[2]) <= longestPart
}

// listed returns a list of members of a form, or nothing when it is malformed or too long. A list may have empty members.
func listed(text string, longest, most int, isMember func(string) bool) string {
	if strings.Trim(text, ", \t") == "" || len(text) > longest || strings.Count(text, ",") >= most {
		return ""
	}
	for member := range strings.SplitSeq(text, ",") {
		if strings.Trim(member, " \t") != "" && !isMember(member) {
			return ""
		}
	}
	return text
}
