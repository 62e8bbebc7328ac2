package resource

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// call is one request of a known bearer.
type call struct {
	*http.Request
	access     catalog.Access
	readable   []source // everything that the bearer may read
	parameters parameters
	warnings   []warning
	restricted bool // a client token under ReadsV01
	coming     Coming
}

// newCall checks the request's protocol version, its bearer and the syntax of its parameters.
func (s *server) newCall(r *http.Request) (*call, error) {
	access, err := s.authenticate(r)
	if err != nil {
		return nil, err
	}
	if version := r.Header.Get("PDPP-Version"); version != "" && version != Version {
		return nil, &problem{
			status: http.StatusBadRequest, code: "unsupported_version",
			message: fmt.Sprintf("PDPP-Version '%s' is not supported. Current: %s", version, Version),
		}
	}
	parameters, err := parseParameters(r.URL.RawQuery)
	if err != nil {
		return nil, err
	}
	return &call{
		Request: r, access: access, readable: s.readableSources(access), parameters: parameters,
		restricted: s.reads == ReadsV01 && access.Kind == clientKind, coming: s.coming,
	}, nil
}

// checkRestricted refuses parameters that client tokens may not use under ReadsV01, in the order in which real servers
// check them. It runs after stream and connection were checked, and before anything else.
func (c *call) checkRestricted() error {
	if !c.restricted {
		return nil
	}
	for _, refused := range []struct{ base, shown string }{
		{"expand", "expand[]"}, {"expand_limit", "expand_limit[...]"}, {"filter", "filter[...]"},
	} {
		if slices.ContainsFunc(c.parameters, func(p parameter) bool { return p.base == refused.base }) {
			return invalidRequest("%s is not supported for client-token reads in PDPP v0.1", refused.shown).of(refused.base)
		}
	}
	return nil
}

func (c *call) isOwner() bool { return c.access.Kind == ownerKind }

func (c *call) warn(w warning) { c.warnings = append(c.warnings, w) }

// self returns the request's path and query as they were sent.
func (c *call) self() string { return c.URL.RequestURI() }

// envelope returns the members that surround a document other than a list.
func (c *call) envelope() envelope {
	return envelope{Links: links{Self: c.self()}, Meta: c.meta(count{Kind: "none"})}
}

func (c *call) meta(total count) meta {
	return meta{Count: total, Warnings: append([]warning{}, c.warnings...), Fulfillment: c.coming.fulfillment()}
}
