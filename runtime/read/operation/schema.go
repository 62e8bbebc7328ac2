// Package operation reads the schema for the tool of that name, and answers the commands of the terminal. Generated
// code calls it.
package operation

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/granted"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemaquery"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/render/schema"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// SchemaInput has the arguments of the schema tool.
type SchemaInput struct {
	Stream       *string
	ConnectionID *string
	Detail       *string // compact or full; nil is compact
}

func (i SchemaInput) isFull() bool { return i.Detail != nil && *i.Detail == "full" }

// Schema reads the schema of the grant: an index of all streams, the fields of one stream, or with detail full the
// schema of one source. The scope is applied here too, since a server may ignore it (R-SCH-1). Its error is the
// reader's or a *tool.Error.
func Schema(ctx context.Context, env tool.Env, input SchemaInput) (*tool.Answer, error) {
	read := readStream
	if input.Stream == nil {
		read = readIndex
	}
	found, err := read(ctx, env, input)
	if err != nil {
		return nil, err
	}
	return tool.Answered(found, schema.Render), nil
}

// readStream reads the schema of one stream, and samples of what it leaves out.
func readStream(ctx context.Context, env tool.Env, input SchemaInput) (*answer.Schema, error) {
	found, err := readSchema(ctx, env, input)
	if err != nil {
		return nil, err
	}
	if input.isFull() {
		if refused := ambiguous(found.Document, *input.Stream); refused != nil {
			return nil, refused
		}
	}
	for connector, stream := range found.Document.Rows() {
		found.Rows = append(found.Rows, newRow(connector, stream, input))
	}
	readSamples(ctx, env, found.Rows)
	return found, nil
}

func newRow(connector *schemadoc.Connector, stream *schemadoc.Stream, input SchemaInput) *answer.StreamRow {
	row := &answer.StreamRow{Connector: connector, Stream: stream}
	all := stream.Fields()
	row.Fields = slices.DeleteFunc(all, func(f schemadoc.Field) bool { return len(f.Name) > answer.LongestName })
	row.Unshown = len(all) - len(row.Fields)
	isShown := func(c schemadoc.Connection) bool { return len(c.ID) <= answer.LongestName }
	connections := row.Connections()
	if first := slices.IndexFunc(connections, isShown); first >= 0 {
		row.ConnectionID, row.GrantID = connections[first].ID, connections[first].GrantID
	} else if input.ConnectionID != nil {
		row.ConnectionID = *input.ConnectionID
	}
	return row
}

// readIndex reads the schema and the list of streams concurrently. It raises a panic of the second read again, for the
// host.
func readIndex(ctx context.Context, env tool.Env, input SchemaInput) (*answer.Schema, error) {
	if input.isFull() { // R-SCH-6
		return nil, &tool.Error{
			Code: tool.InvalidSchemaDetail,
			Message: fmt.Sprintf(`%[4]s "full" is the schema of one stream of one source and needs %[2]s; `+
				`call %[1]s(%[2]s, %[3]s, %[4]s: "full"), with names from %[1]s without arguments`,
				tool.SchemaTool, tool.SchemaStream, tool.SchemaConnectionID, tool.SchemaDetail),
			Param: tool.SchemaDetail,
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var held answer.Holdings
	var panicked any
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { panicked = recover() }()
		held = readHoldings(ctx, env)
	}()
	found, err := readSchema(ctx, env, input)
	if err != nil {
		cancel()
	}
	if <-done; panicked != nil {
		panic(panicked)
	}
	if err != nil {
		return nil, err
	}
	found.Holdings = held
	if env.Clock.Zone != nil { // R-TIME-8
		found.Now, found.TimeZone = env.Clock.Now().Format("2006-01-02T15:04Z07:00"), env.Clock.Zone.String()
	}
	return found, nil
}

// readSchema reads the schema of the scope. A full one is read from one source only (R-SCH-7, R-ERR-5).
func readSchema(ctx context.Context, env tool.Env, input SchemaInput) (*answer.Schema, error) {
	scope := schemadoc.Scope{Stream: input.Stream, ConnectionID: input.ConnectionID}
	request := schemaquery.Request(scope, input.isFull())
	if input.isFull() {
		request.Sources = rs.OneSource{Stream: *input.Stream, ConnectionID: input.ConnectionID}
	}
	found, err := schemaquery.Get(ctx, env.RS, request)
	if err != nil {
		return nil, err
	}
	document := found.Document
	document.Keep(scope)
	if document.StreamCount() == 0 && (input.Stream != nil || input.ConnectionID != nil) {
		return nil, nothingMatches(document, input)
	}
	asked := granted.Question{ConnectionID: input.ConnectionID, GrantIDs: found.GrantIDs, ListsFields: input.Stream != nil}
	if input.Stream != nil {
		asked.Streams = []string{*input.Stream}
	}
	found.Stream, found.ConnectionID, found.IsFull = input.Stream, input.ConnectionID, input.isFull()
	found.Limits, found.Expires = asked.Exceeded(env.Granted), asked.Expires(env.Granted)
	found.Overlaps = overlapsOf(document, asked, env.Granted)
	found.SortsAny = env.Readings != nil
	return found, nil
}

// overlapsOf returns the limits of each grant of a connection that several grants cover (R-CLAIM-2). The grants have
// separate connectors, unless they cover the same fields.
func overlapsOf(document *schemadoc.Document, asked granted.Question, all []granted.Stream) answer.Overlaps {
	grants := map[string][]string{} // by connection
	for _, connector := range document.Connectors {
		for _, each := range connector.Connections {
			if each.GrantID != "" && !slices.Contains(grants[each.ID], each.GrantID) {
				grants[each.ID] = append(grants[each.ID], each.GrantID)
			}
		}
	}
	overlaps := answer.Overlaps{}
	maps.DeleteFunc(grants, func(_ string, ids []string) bool { return len(ids) == 1 })
	for id, shared := range grants {
		for _, grantID := range shared {
			own := asked
			own.ConnectionID, own.GrantIDs = &id, []string{grantID}
			overlaps[answer.GrantedConnection{GrantID: grantID, ConnectionID: id}] = own.Exceeded(all)
		}
	}
	return overlaps
}

// nothingMatches returns the refusal of names that the schema does not have. The warnings of the resource server name
// the sources that did not answer.
func nothingMatches(document *schemadoc.Document, input SchemaInput) *tool.Error {
	refused := &tool.Error{Code: tool.InvalidArguments, Message: "no granted stream matches", Param: tool.SchemaConnectionID, AboutNames: true}
	if input.Stream != nil {
		refused.Param = tool.SchemaStream
		refused.Message += " " + render.Token(tool.SchemaStream, *input.Stream)
		if *input.Stream == "*" || *input.Stream == "all" {
			refused.Instead = []rawjson.Object{{{Name: tool.SchemaStream}}}
		}
	}
	if input.ConnectionID != nil {
		refused.Message += " " + render.Token(tool.SchemaConnectionID, *input.ConnectionID)
	}
	refused.Message += "; " + tool.SchemaTool + " without arguments lists what is granted"
	for _, line := range render.WarningLines(document.Members) {
		refused.Message += "\n" + line
	}
	return refused
}

// ambiguous returns the refusal to choose between several connections (R-SCH-7), or nil if the document has only one.
// The candidates are limited where the error becomes a result (R-ERR-5).
func ambiguous(d *schemadoc.Document, stream string) *tool.Error {
	candidates := []rawjson.Value{}
	seen := map[string]bool{}
	for connector, row := range d.Rows() {
		for _, connection := range connector.ConnectionsOf(row) {
			if !seen[connection.ID] {
				seen[connection.ID] = true
				candidates = append(candidates, encodeCandidate(d, connector, connection, stream))
			}
		}
	}
	if len(seen) < 2 {
		return nil
	}
	return &tool.Error{
		Code: tool.AmbiguousConnection,
		Message: fmt.Sprintf("stream %q has %d sources, each with a full schema; %s with the stream alone lists them all",
			tool.Clip(stream, answer.LongestName), len(seen), tool.SchemaTool),
		Param:                tool.SchemaConnectionID,
		RetryWith:            tool.SchemaConnectionID,
		AvailableConnections: rawjson.Array(candidates),
	}
}

// encodeCandidate writes a connection with the stream and its grant. In a package each connection names its own grant.
func encodeCandidate(d *schemadoc.Document, connector *schemadoc.Connector, connection schemadoc.Connection, stream string) rawjson.Value {
	own, _ := rawjson.ParseObject(connection.Row)
	return rawjson.Texts(wire.ConnectionID, connection.ID, "grant_id", cmp.Or(own.Text("grant_id"), d.GrantID()), "connector_key", connector.Key,
		wire.Stream, stream, "display_name", tool.Clip(connection.Label, tool.LabelCharacters)).Encode()
}
