package credential

import (
	"path"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// Approved is what the owner approved of one stream, as the authorization server stated it.
type Approved struct {
	Source      string   // connector as the provider names it, such as https://registry.pdpp.dev/connectors/gmail
	Stream      string   // not empty
	Connections []string // ids; none when they were not stated
	Fields      []string // none: all
	Since       string   // RFC 3339, inclusive; empty: no bound
	Until       string   // RFC 3339, exclusive; empty: no bound
}

// Approved reads the credential's details. It is nil when they state no stream; what is of another shape is passed over,
// since the resource server knows the grant and this is only what was noted of it.
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

// fieldsAgain is the most fields that Again names: authorization servers list every field of a stream that was not narrowed.
const fieldsAgain = 12

// Again is what to ask for to have the grant approved once more: its connections, its streams, the times of the first of them, and
// the few fields of a single stream. It says less where a grant covers several sources or names its streams by a star.
func (c Credential) Again() commandline.Wanted {
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
	if len(approved) == 1 && len(approved[0].Fields) <= fieldsAgain {
		wanted.Fields = approved[0].Fields
	}
	return wanted
}

func union(all, more []string) []string {
	for _, each := range more {
		if !slices.Contains(all, each) {
			all = append(all, each)
		}
	}
	return all
}

// ConnectorKey is the short name of the connector: gmail for https://registry.pdpp.dev/connectors/gmail.
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
		if text, isText := rawjson.Text(each); isText && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return texts
}
