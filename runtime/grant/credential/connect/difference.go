package connect

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
)

const (
	narrower = "narrower" // less was approved
	wider    = "wider"    // more was approved
	other    = "other"    // something else was approved
)

// Differences compares the approved access with the requested one. Each line begins with narrower, wider or other, such
// as "narrower: messages without connection cin_work". Unspecified parts do not differ. Required fields that a server
// adds are wider access.
func Differences(asked AccessRequest, approved credential.Credential) []string {
	c := &comparison{}
	granted := approved.Approved()
	wanted := credential.Approved{Source: asked.Source}.ConnectorKey()
	for _, stream := range granted {
		key := stream.ConnectorKey() // registries have different addresses for one connector
		if wanted != "" && key != "" && key != wanted {
			c.add(other, "source %s instead of %s", key, wanted)
		}
	}
	if asked.Subject != "" && asked.Subject != approved.SubjectID {
		c.add(other, "owner %q instead of %q", approved.SubjectID, asked.Subject)
	}
	c.mode(asked, approved)
	requested := map[string]credential.Stream{}
	for _, stream := range asked.Streams {
		requested[stream.Name] = stream
	}
	every, isEvery := requested[credential.EveryStream]
	for _, stream := range granted {
		if named, isNamed := requested[stream.Stream]; isNamed {
			c.stream(named, stream)
		} else if isEvery {
			c.stream(every, stream)
		} else if len(requested) > 0 {
			c.add(wider, "stream %s too", stream.Stream)
		}
	}
	for _, stream := range asked.Streams {
		isGranted := slices.ContainsFunc(granted, func(g credential.Approved) bool { return g.Stream == stream.Name })
		if stream.Name != credential.EveryStream && !isGranted {
			c.add(narrower, "no stream %s", stream.Name)
		}
	}
	return c.found
}

// compare returns an error of class Refused if an exact request was answered with wider or other access.
func (s *signIn) compare(issued *issued) error {
	if !s.Exact {
		return nil
	}
	found := slices.DeleteFunc(Differences(s.Access, issued.Credential), func(line string) bool { return strings.HasPrefix(line, narrower) })
	isOpen := slices.ContainsFunc(issued.Credential.Approved(), func(a credential.Approved) bool { return len(a.Connections) == 0 })
	if _, isKnown := SameAccess(issued.Credential); found == nil && (!isKnown || isOpen) {
		found = []string{other + ": access that the authorization server does not describe"}
	}
	if found == nil {
		return nil
	}
	return &credential.Error{
		Class: credential.Refused, Message: s.server.Issuer + " granted other access than was requested (" + strings.Join(found, "; ") + "); it was not stored",
		NextStep: s.connectStep(),
	}
}

type comparison struct {
	found  []string
	stated bool // the authorization server described the grant, so that missing limits mean none
}

func (c *comparison) add(kind, format string, arguments ...any) {
	if found := kind + ": " + printable(fmt.Sprintf(format, arguments...)); !slices.Contains(c.found, found) {
		c.found = append(c.found, found)
	}
}

func (c *comparison) mode(asked AccessRequest, approved credential.Credential) {
	details, _ := approved.ReadDetails()
	for _, detail := range details {
		c.stated = c.stated || detail.AccessMode != ""
		switch {
		case asked.SingleUse && detail.AccessMode == continuous:
			c.add(wider, "access until it is revoked instead of a single use")
		case !asked.SingleUse && detail.AccessMode == singleUse:
			c.add(narrower, "a single use")
		}
	}
}

func (c *comparison) stream(asked credential.Stream, granted credential.Approved) {
	c.names(granted.Stream, "connection", asked.Connections, granted.Connections)
	c.names(granted.Stream, "field", asked.Fields, granted.Fields)
	if !c.stated {
		return
	}
	if len(asked.Fields) > 0 && len(granted.Fields) == 0 {
		c.add(wider, "%s with all fields", granted.Stream)
	}
	c.bound(granted.Stream, "from", asked.Range.Since, granted.Since, 1)
	c.bound(granted.Stream, "before", asked.Range.Until, granted.Until, -1)
}

func (c *comparison) names(stream, what string, asked, granted []string) {
	if len(asked) == 0 || len(granted) == 0 {
		return
	}
	list := func(names, others []string) (joined string, isEmpty bool) {
		names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(others, name) })
		if len(names) > 1 {
			return what + "s " + strings.Join(names, ", "), false
		}
		return what + " " + strings.Join(names, ""), len(names) == 0
	}
	if missing, isEmpty := list(asked, granted); !isEmpty {
		c.add(narrower, "%s without %s", stream, missing)
	}
	if added, isEmpty := list(granted, asked); !isEmpty {
		c.add(wider, "%s with %s too", stream, added)
	}
}

// bound compares one end of a time range. A later time is tighter if direction is 1, an earlier one if it is -1.
func (c *comparison) bound(stream, word, wanted, text string, direction int) {
	asked, _ := time.Parse(time.RFC3339, wanted)
	granted, err := time.Parse(time.RFC3339, text)
	moment := func(at time.Time) string { return word + " " + at.UTC().Format(time.RFC3339Nano) }
	switch {
	case text == "" && asked.IsZero(), text != "" && err == nil && granted.Equal(asked):
	case text == "":
		c.add(wider, "%s without the bound %s", stream, moment(asked))
	case err != nil:
		c.add(other, "%s %s %s", stream, word, text)
	case asked.IsZero(), granted.Compare(asked) == direction:
		c.add(narrower, "%s only %s", stream, moment(granted))
	default:
		c.add(wider, "%s %s already", stream, moment(granted))
	}
}
