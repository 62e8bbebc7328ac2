package fanout

import (
	"context"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// streams lists the streams of every source, each row with the connection of its source (R-SCH-9), and among several with its
// grant and its provider. A source that does not answer has no rows, and is named in a warning.
func (r *Reader) streams(ctx context.Context, request rs.Request) (*rs.Response, error) {
	asked, answers, err := r.askGrants(ctx, request, r.active)
	if err != nil {
		return nil, err
	}
	rows, ended := []rawjson.Value{}, r.ended(nil)
	response := &rs.Response{Status: 200, URL: r.url(request), Request: request}
	var missing []absence
	isHeard := false // of a source at least
	for i, answer := range answers {
		source := asked[i]
		list, err := listOf(answer)
		if err != nil {
			missing = append(missing, r.absent(source, err)...)
			continue
		}
		isHeard = true
		response.GrantIDs = source.addTo(response.GrantIDs)
		own := r.ofGrant(source)
		isOwn := func(id string) bool {
			return slices.ContainsFunc(own, func(s *Source) bool { return s.ConnectionID == id })
		}
		for _, each := range list.Rows {
			if claims(each, r.connections, isOwn) {
				continue // another member counts its own
			}
			rows = append(rows, r.listed(source, each, len(asked)+len(ended) > 1))
		}
	}
	if len(missing) > 0 && !isHeard {
		return nil, failed(append(missing, ended...), r.url(request))
	}
	warnings := []rawjson.Value{}
	for _, each := range append(missing, ended...) {
		warnings = append(warnings, each.warning(each.retryAlone()))
	}
	body := rawjson.Object{rawjson.String("object", "list"), rawjson.Raw("data", rawjson.Array(rows))}
	if len(warnings) > 0 {
		body = append(body, rawjson.Raw("meta", rawjson.Object{rawjson.Raw("warnings", rawjson.Array(warnings))}.Encode()))
	}
	return response.WithMembers(body), nil
}

func listOf(got answer) (rs.List, error) {
	if got.err != nil {
		return rs.List{}, got.err
	}
	return got.response.List()
}

// listed is a row of a source's list, with what tells it from those of other sources.
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
