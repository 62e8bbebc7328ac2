package fanout

import (
	"context"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// streams lists the streams of every source. Each row has the connection of its source (R-SCH-9), and its grant and provider if there are
// several. A warning names each source that did not answer.
func (r *Reader) streams(ctx context.Context, request rs.Request) (*rs.Response, error) {
	rows := []rawjson.Value{}
	isOfSeveral := len(oneOfEach(r.active))+len(r.inactive) > 1
	response, warnings, err := r.gather(ctx, request, r.active, r.ended(nil), func(ctx context.Context, source *Source, response *rs.Response) error {
		list, err := response.List()
		own := keep(r.active, source.sharesWith)
		for _, each := range list.Rows {
			if err := callEnded(ctx); err != nil {
				return err
			}
			if !claims(each, r.connections, own) { // the other source lists it
				rows = append(rows, r.listed(source, each, isOfSeveral))
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	body := rawjson.Object{rawjson.String("object", "list"), rawjson.Raw("data", rawjson.Array(rows))}
	if len(warnings) > 0 {
		body = append(body, rawjson.Raw("meta", rawjson.Object{rawjson.Raw("warnings", rawjson.Array(warnings))}.Encode()))
	}
	return response.WithMembers(body), nil
}

// listed returns a row with the members that identify its source.
func (r *Reader) listed(source *Source, sent rawjson.Value, isOfSeveral bool) rawjson.Value {
	row, _ := rawjson.ParseObject(sent)
	if source.ConnectionID != "" && !source.Shared && row.Get("connection_id") == nil {
		row = row.With("connection_id", rawjson.Quote(source.ConnectionID))
	}
	if isOfSeveral {
		row = row.With("grant_id", rawjson.Quote(source.GrantID))
	}
	if r.options.ProviderURL == "" {
		row = row.With("provider_url", rawjson.Quote(source.Reader.ProviderURL()))
	}
	return row.Encode()
}
