package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
)

// checkTokenKind reads the kind of the token. Nothing else is read with a token of another kind (R-STDIO-3).
func (e *examination) checkTokenKind(ctx context.Context) (kind Finding) {
	if e.isExpired { // doctor writes nothing, so it does not renew it
		return Finding{State: Skipped, Detail: "the token has expired; the next read renews it"}
	}
	e.reader, e.schema, kind = e.tryToken(ctx, e.token)
	return kind
}

func (e *examination) tryToken(ctx context.Context, token rs.Secret) (rs.Reader, *rs.Response, Finding) {
	reader, err := rs.NewClient(rs.Options{
		BaseURL: e.provider, Bearer: token, Transport: e.options.Transport, Timeout: e.options.Deadline,
	})
	if err != nil {
		return nil, nil, fromError(err, "")
	}
	response, bearer, err := schemadoc.Admit(ctx, reader)
	other, isOther := errors.AsType[*rs.KindError](err)
	switch {
	case isOther && other.Kind == rs.KindPackage: // (R-STDIO-6)
		return nil, nil, failed(credential.Refused, e.connectCommand(), "a package token, which is accepted only by the hosted MCP server at %s/mcp", e.provider)
	case isOther:
		return nil, nil, failed(credential.Refused, e.connectCommand(), "%v; only scoped client tokens are used here", other)
	case err != nil:
		return nil, nil, e.fromAnswer(err)
	case bearer.Kind == "":
		return reader, response, note("", "the provider does not report the kind of the token; it is treated as a client's")
	}
	return reader, response, ok("a scoped client token")
}

// coverage counts connections and streams. A connection may occur under several connectors.
func (e *examination) coverage(response *rs.Response) Finding {
	schema, err := schemadoc.Read(response)
	if err != nil {
		return unreachable("the schema has an unknown shape")
	}
	connections := map[string]bool{}
	for _, connector := range schema.Connectors {
		for _, granted := range connector.Connections {
			connections[granted.ID] = true
		}
	}
	streams := schema.StreamCount()
	if streams == 0 {
		return failed(credential.Configuration, e.connectCommand(), "the grant covers no stream")
	}
	return ok("%s, %s", count(len(connections), "connection"), count(streams, "stream"))
}

// searchCheck returns the check of one search mode. Only lexical search is required of every provider.
func (e *examination) searchCheck(path ...string) func(context.Context) Finding {
	return func(ctx context.Context) Finding {
		var query rs.Query
		query.Set("q", "hello") // no hit is shown
		query.Set("limit", "1")
		_, err := e.reader.Get(ctx, rs.Request{Path: rs.JoinPath(append([]string{"v1"}, path...)...), Query: query})
		var refused *rs.Error
		switch {
		case err == nil:
			return ok("available")
		case errors.As(err, &refused) && len(path) > 1 && slices.Contains(notOffered, refused.Status):
			return note("", "not available (%d %s)", refused.Status, refused.Code)
		}
		return e.fromAnswer(err)
	}
}

var notOffered = []int{
	http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented, http.StatusServiceUnavailable,
}

func count(number int, noun string) string {
	if number != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", number, noun)
}
