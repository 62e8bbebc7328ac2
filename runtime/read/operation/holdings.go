package operation

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
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
	list, err := tool.ListStreams(ctx, env.RS, rs.Request{Path: rs.StreamsRoute, Sources: rs.StreamsOfSources{}})
	if err != nil {
		return nil
	}
	found := answer.Holdings{}
	for _, row := range list.Rows {
		held := answer.Holding{Added: tool.Clip(strings.TrimSuffix(row.Text("last_updated"), "T00:00:00Z"), timeCharacters)}
		if count, ok := row.Int("record_count"); ok {
			held.Records = fmt.Sprint(count)
		}
		found[answer.HoldingSource{ConnectionID: row.Text(wire.ConnectionID), Stream: row.Text("name")}] = held
	}
	return found
}
