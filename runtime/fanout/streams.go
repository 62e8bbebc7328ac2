package fanout

import (
	"context"
	"slices"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// streams lists the streams of every source, each row with the connection of its source (R-SCH-9). A source that does not
// answer has no rows; the schema says that it is missing.
func (r *Reader) streams(ctx context.Context, request rs.Request) (*rs.Response, error) {
	deadline := time.Now().Add(r.options.ChildTimeout)
	var questions []question
	for _, source := range oneOfEach(r.active) {
		questions = append(questions, question{source: source, request: request, deadline: deadline})
	}
	answers, err := r.ask(ctx, questions)
	if err != nil {
		return nil, err
	}
	rows := []rawjson.Value{}
	for i, answer := range answers {
		if answer.err != nil {
			continue
		}
		list, err := answer.response.List()
		if err != nil {
			continue
		}
		own := r.ofGrant(questions[i].source)
		isOwn := func(id string) bool {
			return slices.ContainsFunc(own, func(s *Source) bool { return s.ConnectionID == id })
		}
		for _, each := range list.Rows {
			if claims(each, r.connections, isOwn) {
				continue // another member counts its own
			}
			row, _ := rawjson.ParseObject(each)
			if id := questions[i].source.ConnectionID; id != "" && !questions[i].source.Shared && row.Get("connection_id") == nil {
				row = row.With("connection_id", rawjson.Quote(id))
			}
			rows = append(rows, row.Encode())
		}
	}
	response := &rs.Response{Status: 200, URL: r.url(request), Request: request}
	return response.WithMembers(rawjson.Object{rawjson.String("object", "list"), rawjson.Raw("data", rawjson.Array(rows))}), nil
}
