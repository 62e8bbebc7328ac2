package credential

import (
	"path"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// Approved is what the owner approved of one stream, as the authorization server reports it.
type Approved struct {
	Source      string   `json:"source,omitempty"`      // connector as the provider names it, such as https://registry.pdpp.dev/connectors/gmail
	Stream      string   `json:"stream"`                // not empty
	Connections []string `json:"connections,omitempty"` // ids; empty: unknown
	Fields      []string `json:"fields,omitempty"`      // empty: all
	Since       string   `json:"since,omitempty"`       // RFC 3339, inclusive; empty: no bound
	Until       string   `json:"until,omitempty"`       // RFC 3339, exclusive; empty: no bound
}

// Approved parses the credential's details. It ignores details of another shape, since the resource server decides what may be read.
func (c Credential) Approved() []Approved {
	var approved []Approved
	details, _ := rawjson.Elements(c.Details)
	for _, each := range details {
		detail, _ := rawjson.ParseObject(each)
		source, _ := rawjson.ParseObject(detail.Get("source"))
		streams, _ := rawjson.Elements(detail.Get("streams"))
		for _, each := range streams {
			stream, _ := rawjson.ParseObject(each)
			bounds, _ := rawjson.ParseObject(stream.Get("time_constraint"))
			if bounds == nil {
				bounds, _ = rawjson.ParseObject(stream.Get("time_range"))
			}
			if name := stream.Text("name"); name != "" {
				approved = append(approved, Approved{
					Source: source.Text("id"), Stream: name,
					Connections: textsOf(stream.Get("instance_ids")), Fields: textsOf(stream.Get("fields")),
					Since: bounds.Text("since"), Until: bounds.Text("until"),
				})
			}
		}
	}
	return approved
}

const maxFieldsRepeated = 12 // by SameRequest; authorization servers list all fields of an unlimited stream

// SameRequest returns what to request to get the same grant again: its connections, its streams, the time range of the first, and the
// fields of a single stream if they are few. For several sources it returns the label only.
func (c Credential) SameRequest() commandline.Wanted {
	approved := c.Approved()
	wanted := commandline.Wanted{Label: c.Label}
	for i, each := range approved {
		if i == 0 {
			wanted.Source, wanted.Since, wanted.Until = each.Source, each.Since, each.Until
		}
		if each.Source != wanted.Source {
			return commandline.Wanted{Label: c.Label}
		}
		wanted.Connections = union(wanted.Connections, each.Connections)
		if each.Stream != "*" {
			wanted.Streams = union(wanted.Streams, []string{each.Stream})
		}
	}
	if len(approved) == 1 && len(approved[0].Fields) <= maxFieldsRepeated {
		wanted.Fields = approved[0].Fields
	}
	return wanted
}

func union(names, more []string) []string {
	for _, name := range more {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// ConnectorKey returns the short name of the connector: gmail for https://registry.pdpp.dev/connectors/gmail.
func (a Approved) ConnectorKey() string {
	if !strings.Contains(a.Source, "/") {
		return a.Source
	}
	return path.Base(a.Source)
}

func textsOf(list rawjson.Value) []string {
	var texts []string
	elements, _ := rawjson.Elements(list)
	for _, each := range elements {
		if text, isText := rawjson.Text(each); isText {
			texts = union(texts, []string{text})
		}
	}
	return texts
}
