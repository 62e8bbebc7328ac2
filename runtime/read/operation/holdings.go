package operation

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const (
	listingTime    = 2 * time.Second // afterwards the index has no holdings
	timeCharacters = 35
)

// readHoldings reads the list of streams. It returns nil if the server has none, or does not answer in time.
func readHoldings(ctx context.Context, env tool.Env) answer.Holdings {
	ctx, cancel := context.WithTimeout(ctx, listingTime)
	defer cancel()
	response, err := env.RS.Get(ctx, rs.Request{Path: rs.JoinPath("v1", wire.Streams), Sources: rs.StreamsOfSources{}})
	if err != nil {
		return nil
	}
	list, err := response.List()
	if err != nil {
		return nil
	}
	found := answer.Holdings{}
	for _, value := range list.Rows {
		row, _ := rawjson.ParseObject(value)
		held := answer.Holding{Added: tool.Clip(strings.TrimSuffix(row.Text("last_updated"), "T00:00:00Z"), timeCharacters)}
		if count, ok := row.Int("record_count"); ok {
			held.Records = fmt.Sprint(count)
		}
		found[answer.HoldingSource{ConnectionID: row.Text(wire.ConnectionID), Stream: row.Text("name")}] = held
	}
	return found
}
