package operation

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const (
	listingTime    = 2 * time.Second // the index is shown without holdings rather than later
	timeCharacters = 35
)

type source struct{ connectionID, stream string }

// holding is how many records a source has, and when the last one was added. Either is empty if the server does not say.
type holding struct{ records, added string }

// holdings is what the server says of each granted source (R-SCH-9).
type holdings map[source]holding

// readHoldings reads the list of streams. It returns nil if the server has none, or does not answer in time.
func readHoldings(ctx context.Context, env tool.Env) holdings {
	ctx, cancel := context.WithTimeout(ctx, listingTime)
	defer cancel()
	response, err := env.RS.Get(ctx, rs.Request{Path: rs.JoinPath("v1", "streams"), Sources: rs.StreamsOfSources{}})
	if err != nil {
		return nil
	}
	list, err := response.List()
	if err != nil {
		return nil
	}
	found := holdings{}
	for _, value := range list.Rows {
		row, _ := rawjson.ParseObject(value)
		held := holding{added: tool.Clip(strings.TrimSuffix(row.Text("last_updated"), "T00:00:00Z"), timeCharacters)}
		if count, ok := row.Int("record_count"); ok {
			held.records = fmt.Sprint(count)
		}
		found[source{row.Text("connection_id"), row.Text("name")}] = held
	}
	return found
}

// of returns what a connection has of a stream. A row without a connection_id is about the only connection of the stream.
func (h holdings) of(c *schemadoc.Connector, s *schemadoc.Stream, connectionID string) holding {
	if held, ok := h[source{connectionID, s.Name}]; ok || len(c.ConnectionsOf(s)) > 1 {
		return held
	}
	return h[source{"", s.Name}]
}

// encode returns the number of records or, with the time, a pair of both.
func (h holding) encode(withTime bool) rawjson.Value {
	records := rawjson.Value(cmp.Or(h.records, "null"))
	if !withTime {
		return records
	}
	return rawjson.Array([]rawjson.Value{records, rawjson.TextOrNull(h.added)})
}
