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
	found, most := answer.Holdings{}, map[answer.HoldingSource]int64{}
	for _, row := range list.Rows {
		held := answer.Holding{Added: tool.Clip(strings.TrimSuffix(row.Text("last_updated"), "T00:00:00Z"), timeCharacters)}
		count, ok := row.Int("record_count")
		if ok {
			held.Records = fmt.Sprint(count)
		}
		source := answer.HoldingSource{ConnectionID: row.Text(wire.ConnectionID), Stream: row.Text("name")}
		if _, isKnown := found[source]; !isKnown || count > most[source] { // the grant that covers most answers a read
			found[source], most[source] = held, count
		}
		source.GrantID = row.Text("grant_id")
		found[source] = held
	}
	return found
}
