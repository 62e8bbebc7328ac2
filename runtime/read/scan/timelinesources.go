package scan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemaquery"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// maxSources limits the sources of one call. Each may take three of its requests (R-SCAN-8).
const maxSources = 128

// findSources reads the schema, and makes a source for each stream and connection.
func (t *timeline) findSources(connectionID *string) (err error) {
	scope := schemadoc.Scope{ConnectionID: connectionID}
	if t.document, err = schemaquery.Ask(t.ctx, t.env.RS, scope, nil); err != nil {
		return err
	}
	known := map[string]bool{}
	for connector, stream := range t.document.Rows() {
		connections := connector.ConnectionsOf(stream)
		if connections == nil {
			connections = []schemadoc.Connection{{}}
		}
		for _, connection := range connections {
			found := &source{timeline: t, stream: stream.Name, connection: connection.ID, advertised: stream}
			switch {
			case known[found.key()]:
			case len(t.sources) == maxSources:
				t.leftOut++
			default:
				known[found.key()] = true
				t.sources = append(t.sources, found)
			}
		}
	}
	if connectionID != nil && len(t.sources) == 0 && len(t.document.Warnings()) == 0 {
		return &tool.Error{
			Code: tool.InvalidArguments, Param: tool.RecordsConnectionID, AboutNames: true,
			Message: fmt.Sprintf("no granted stream has the connection %s; schema lists the connections", rawjson.Quote(tool.Shorten(*connectionID, tool.LabelCharacters))),
		}
	}
	return nil
}

// refuseOthers refuses every parameter except the accepted ones and those of a page. The error has the calls to make
// instead.
func (t *timeline) refuseOthers(accepted ...string) error {
	for _, each := range t.request.Query.Parameters() {
		name, _, _ := strings.Cut(each.Name, "[")
		if name == wire.Limit || name == wire.Cursor || slices.Contains(accepted, name) {
			continue
		}
		refused := &tool.Error{
			Code: tool.InvalidArguments, Param: name,
			Message: fmt.Sprintf("%s is not for stream %q; leave it out, or read one stream with it", name, tool.EveryStream),
			Instead: []rawjson.Object{{{Name: name}}},
		}
		if stream := t.streamWith(name, each.Value); stream != "" {
			refused.Instead = append(refused.Instead, rawjson.Object{rawjson.String(tool.RecordsStream, stream)})
		}
		return refused
	}
	return nil
}

// withStream adds to the refusal of a filter of all streams the call that filters the first stream with these fields.
func withStream(ctx context.Context, env tool.Env, connectionID *string, filter rs.Filter, err error) error {
	var refused *tool.Error
	if !errors.As(err, &refused) || slices.ContainsFunc(filter, isOnTime) {
		return err
	}
	document, schemaErr := schemaquery.Ask(ctx, env.RS, schemadoc.Scope{ConnectionID: connectionID}, nil)
	if schemaErr != nil {
		return err
	}
	var names []string
	for _, condition := range filter {
		names = append(names, condition.Field)
	}
	if stream := (&timeline{document: document}).streamWith(wire.Filter, strings.Join(names, ",")); stream != "" {
		refused.Instead = append(refused.Instead, rawjson.Object{rawjson.String(tool.RecordsStream, stream)})
	}
	return err
}

// streamWith returns the first stream that has the fields of a parameter, or the first of all if the parameter names no
// fields.
func (t *timeline) streamWith(parameter, value string) string {
	var wanted []string
	switch parameter {
	case wire.Fields, wire.Filter:
		wanted = strings.Split(value, ",")
	case wire.Sort:
		wanted = []string{strings.TrimPrefix(value, "-")}
	}
	for _, stream := range t.document.Rows() {
		var names []string
		for _, field := range stream.Fields() {
			names = append(names, field.Name)
		}
		if !slices.ContainsFunc(wanted, func(name string) bool { return !slices.Contains(names, name) }) {
			return stream.Name
		}
	}
	return ""
}
