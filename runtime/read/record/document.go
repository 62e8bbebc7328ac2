package record

import (
	"cmp"
	"context"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemaquery"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// DocumentInput has the arguments of a call for one record.
type DocumentInput struct {
	Target recordid.Target
	Fields []string // nil: all
}

// Document reads one record, and the schema if the links of its stream are needed and not remembered. It returns the
// reader's error.
func Document(ctx context.Context, env tool.Env, request rs.Request, input DocumentInput) (*tool.Answer, error) {
	response, err := env.RS.Get(ctx, request)
	if err != nil {
		return nil, err
	}
	members, err := recordIn(response)
	if err := cmp.Or(err, ctx.Err()); err != nil {
		return nil, err
	}
	if len(members) == 0 || members.Get("error") != nil {
		return nil, response.Unusable("the resource server's answer is not a record", "")
	}
	_, isExpanded := request.Query.Get(wire.Expand)
	document := &answer.Document{
		Origin: originOf(response), Target: input.Target, Record: members, Fields: input.Fields, Expanded: isExpanded,
		Warnings: warningsOf(members),
	}
	if document.ProviderURL == "" {
		document.ProviderURL = env.RS.ProviderURL()
	}
	if render.NeedsLinks(document) {
		document.StreamLinks = linksOf(ctx, env, document)
	}
	return tool.Answered(document, render.Document), nil
}

// recordIn returns the members of the record of a response. Older servers wrap it in one more data object.
func recordIn(response *rs.Response) (rawjson.Object, error) {
	body, err := response.Object()
	if err != nil {
		return nil, err
	}
	inner, ok := rawjson.ParseObject(body.Get("data"))
	if ok && body.Get(wire.Stream) == nil && rawjson.Kind(inner.Get("data")) == rawjson.ObjectValue {
		body = inner
	}
	return body, nil
}

// Fields returns the fields of the record of a response. If the target names no connection, it gets the record's.
func Fields(response *rs.Response, target recordid.Target) (rawjson.Object, recordid.Target, error) {
	members, err := recordIn(response)
	if err != nil {
		return nil, target, err
	}
	if sent := members.FirstText(wire.ConnectionID, "connector_instance_id"); target.ConnectionID == nil && sent != "" {
		target.ConnectionID = &sent
	}
	return render.FieldsOf(members), target, nil
}

// linksOf returns where the record of a document may belong: from the schema of its connection, unless the links of its
// stream are remembered.
func linksOf(ctx context.Context, env tool.Env, document *answer.Document) answer.StreamLinks {
	sent := document.Record.FirstText(wire.ConnectionID, "connector_instance_id")
	key := tool.LinksKey{
		Caller:       env.Caller,
		ConnectionID: cmp.Or(sent, scalar.OrZero(document.Target.ConnectionID)),
		Stream:       cmp.Or(document.Record.Text(wire.Stream), document.Target.Stream),
	}
	return env.Readings.StreamLinks(key, func() (found answer.StreamLinks, err error) {
		scope := schemadoc.ScopeOf("", key.ConnectionID)
		sources := rs.OneSource{Stream: key.Stream, ConnectionID: scope.ConnectionID}
		schema, err := schemaquery.Ask(schemaquery.Recent(ctx), env.RS, scope, sources)
		if err != nil {
			return found, err
		}
		for _, row := range schema.Rows() {
			if row.Name == key.Stream {
				found.TimeField = strings.Clone(render.TimeField(row))
			}
		}
		found.Links = schema.Links(key.Stream)
		return found, nil
	})
}
