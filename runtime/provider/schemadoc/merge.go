package schemadoc

import (
	"fmt"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
)

// Merge returns the document of several grants, which takes over their connectors. Connectors that differ only in their
// connections become one. Others stay separate even with the same key, because their grants may differ in any field.
// Its error is an *Unusable.
func Merge(connectors []*Connector, warnings []rawjson.Value) (*Document, error) {
	meta := rawjson.Object{rawjson.Raw("warnings", rawjson.Array(warnings))}
	d := &Document{Connectors: []*Connector{}, Members: rawjson.Object{
		rawjson.Raw("bearer", rawjson.Object{rawjson.String("token_kind", kindPackage)}.Encode()),
		rawjson.Raw("meta", meta.Encode()),
	}}
	entries := 0
	known := map[string]*Connector{} // by the connector without its connections
	for _, each := range connectors {
		entries += 1 + len(each.Streams) + len(each.Connections)
		content := each.content()
		first := known[content]
		if first == nil || len(each.Connections) == 0 {
			known[content] = each
			d.Connectors = append(d.Connectors, each)
			continue
		}
		first.addConnections(each.Connections)
	}
	if entries > maxEntries {
		return nil, tooLong()
	}
	for _, each := range d.Connectors {
		each.Connections = distinct(each.Connections)
	}
	return d, nil
}

// addConnections adds connections. One that several grants cover alike is of none of them.
func (c *Connector) addConnections(more []Connection) {
	for _, each := range more {
		if i := slices.IndexFunc(c.Connections, func(known Connection) bool { return known.ID == each.ID }); i >= 0 {
			c.Connections[i].GrantID = ""
		} else {
			c.Connections = append(c.Connections, each)
		}
	}
}

// content returns what tells the connector from others with the same streams: everything but its own connections.
func (c *Connector) content() string {
	parts := []rawjson.Value{c.Members.Encode()}
	for _, stream := range c.Streams {
		parts = append(parts, stream.Row)
		for _, connection := range stream.Connections {
			parts = append(parts, rawjson.Quote(connection.ID))
		}
	}
	return string(rawjson.Array(parts))
}

func tooLong() *Unusable {
	return &Unusable{
		fmt.Sprintf("the resource server's schema lists more than %d connectors, streams and connections", maxEntries),
		"ask for one stream or one connection_id",
	}
}
