package connect

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// Difference is one way in which the approved access differs from the requested one.
type Difference struct {
	Kind Kind
	What string // such as "messages without cin_work"
}

// Kind says whether more or less was approved.
type Kind string

// The kinds of differences.
const (
	Narrower Kind = "narrower" // less was approved
	Wider    Kind = "wider"    // more was approved
	Other    Kind = "other"    // something else was approved
)

// Differences compares the approved access with the requested one. Unspecified parts do not differ. Required fields that a server adds
// are a difference of kind Wider.
func Differences(asked Asked, approved credential.Credential) []Difference {
	c := &comparison{}
	granted := approved.Approved()
	c.sources(asked, granted)
	c.mode(asked, approved)
	everything := len(asked.Streams) == 0 || slices.ContainsFunc(asked.Streams, func(s Stream) bool { return s.Name == EveryStream })
	for _, stream := range granted {
		of := slices.IndexFunc(asked.Streams, func(s Stream) bool { return s.Name == stream.Stream })
		if of < 0 {
			of = slices.IndexFunc(asked.Streams, func(s Stream) bool { return s.Name == EveryStream })
		}
		switch {
		case of >= 0:
			c.stream(asked.Streams[of], stream)
		case !everything:
			c.add(Wider, "stream %s too", stream.Stream)
		}
	}
	for _, stream := range asked.Streams {
		isGranted := slices.ContainsFunc(granted, func(g credential.Approved) bool { return g.Stream == stream.Name })
		if stream.Name != EveryStream && !isGranted {
			c.add(Narrower, "no stream %s", stream.Name)
		}
	}
	return c.found
}

type comparison struct {
	found  []Difference
	stated bool // the authorization server described the grant, so that missing limits mean none
}

func (c *comparison) add(kind Kind, format string, arguments ...any) {
	if found := (Difference{kind, shown(fmt.Sprintf(format, arguments...))}); !slices.Contains(c.found, found) {
		c.found = append(c.found, found)
	}
}

func (c *comparison) sources(asked Asked, granted []credential.Approved) {
	wanted := credential.Approved{Source: asked.Source}.ConnectorKey()
	for _, stream := range granted {
		key := stream.ConnectorKey() // registries have different addresses for one connector
		if asked.Source != "" && key != "" && key != wanted {
			c.add(Other, "source %s, requested was %s", key, wanted)
		}
	}
}

func (c *comparison) mode(asked Asked, approved credential.Credential) {
	details, _ := rawjson.Elements(approved.Details)
	for _, each := range details {
		detail, _ := rawjson.ParseObject(each)
		mode := detail.Text("access_mode")
		c.stated = c.stated || mode != ""
		switch {
		case asked.SingleUse && mode == continuous:
			c.add(Wider, "access until it is revoked, requested was a single use")
			return
		case !asked.SingleUse && mode == singleUse:
			c.add(Narrower, "a single use")
			return
		}
	}
}

func (c *comparison) stream(asked Stream, granted credential.Approved) {
	c.lists(granted.Stream, "connection", asked.Connections, granted.Connections)
	switch {
	case len(asked.Fields) == 0:
	case len(granted.Fields) == 0 && c.stated:
		c.add(Wider, "%s with all fields", granted.Stream)
	default:
		c.lists(granted.Stream, "field", asked.Fields, granted.Fields)
	}
	if !c.stated {
		return
	}
	c.bound(granted.Stream, "from", asked.Since, granted.Since, func(got time.Time) bool { return got.After(asked.Since) })
	c.bound(granted.Stream, "before", asked.Until, granted.Until, func(got time.Time) bool { return got.Before(asked.Until) })
}

// lists compares requested and granted names, unless one list is empty.
func (c *comparison) lists(stream, what string, asked, granted []string) {
	if len(asked) == 0 || len(granted) == 0 {
		return
	}
	if missing := without(asked, granted); len(missing) > 0 {
		c.add(Narrower, "%s without %s", stream, named(what, missing))
	}
	if added := without(granted, asked); len(added) > 0 {
		c.add(Wider, "%s with %s too", stream, named(what, added))
	}
}

// bound compares one end of a time range.
func (c *comparison) bound(stream, word string, asked time.Time, text string, isTighter func(time.Time) bool) {
	granted, err := time.Parse(time.RFC3339, text)
	switch {
	case text == "" && asked.IsZero(), text != "" && err == nil && granted.Equal(asked):
	case text == "":
		c.add(Wider, "%s without the bound %s %s", stream, word, moment(asked))
	case err != nil:
		c.add(Other, "%s %s %s", stream, word, text)
	case asked.IsZero(), isTighter(granted):
		c.add(Narrower, "%s only %s %s", stream, word, moment(granted))
	default:
		c.add(Wider, "%s %s %s already", stream, word, moment(granted))
	}
}

func moment(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) }

// without returns these except for the others.
func without(these, others []string) []string {
	return slices.DeleteFunc(slices.Clone(these), func(each string) bool { return slices.Contains(others, each) })
}

func named(what string, names []string) string {
	if len(names) > 1 {
		what += "s"
	}
	return what + " " + strings.Join(names, ", ")
}
