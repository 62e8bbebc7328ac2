package operation

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// handleMaximum bounds a connection_id in bytes. A longer one is not shown: it could not be passed on in
// a call of any sense, and it is counted with those that are left out.
const handleMaximum = 200

// usableConnections are the leading connections that can be shown, and how many are left out.
func usableConnections(connections []schemadoc.Connection, most int) (shown []schemadoc.Connection, left int) {
	for _, c := range connections {
		if len(shown) < most && len(c.ID) <= handleMaximum {
			shown = append(shown, c)
		}
	}
	return shown, len(connections) - len(shown)
}

// tokens are a connection in text, its label at most so many characters.
func tokens(c schemadoc.Connection, label int) string {
	tokens := render.Token("connection_id", c.ID)
	if shown := tool.Clip(c.Label, label); shown != "" {
		tokens += " " + render.Token("display_name", shown)
	}
	return tokens
}

// brief is a connection in structured output: its id, and its label as long as the portion has it.
func (p portion) brief(c schemadoc.Connection) rawjson.Object {
	row := rawjson.Object{rawjson.String("connection_id", c.ID)}
	if shown := tool.Clip(c.Label, p.label); shown != "" {
		row = append(row, rawjson.String("display_name", shown))
	}
	return row
}

// listingTime is how long the list of streams may take. The index does without it rather than wait.
const listingTime = 2 * time.Second

// timeCharacters bounds a time of the resource server.
const timeCharacters = 35

// source is a stream of a connection.
type source struct{ connectionID, stream string }

// holding is how many records a source has, and when the last was added. Each is empty when the server does not say.
type holding struct{ records, added string }

// holdings are what the server tells of the sources that it grants (R-SCH-9).
type holdings map[source]holding

// readHoldings reads the list of streams. It is empty when the server has none, or none in time.
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
	for _, each := range list.Rows {
		row, _ := rawjson.ParseObject(each)
		held := holding{added: tool.Clip(strings.TrimSuffix(row.Text("last_updated"), "T00:00:00Z"), timeCharacters)}
		if count, ok := row.Int("record_count"); ok {
			held.records = fmt.Sprint(count)
		}
		found[source{row.Text("connection_id"), row.Text("name")}] = held
	}
	return found
}

// of is what a connection has of a stream. A server that names no connection means its only one.
func (h holdings) of(c *schemadoc.Connector, s *schemadoc.Stream, connectionID string) holding {
	if held, ok := h[source{connectionID, s.Name}]; ok || len(c.ConnectionsOf(s)) > 1 {
		return held
	}
	return h[source{"", s.Name}]
}

// share is the streams of a connector that a connection has.
type share struct {
	streams []*schemadoc.Stream
	held    []holding
	tells   bool // something that the connector's list of streams does not
}

func (h holdings) share(c *schemadoc.Connector, connection schemadoc.Connection) share {
	var found share
	for _, s := range c.Streams {
		if !schemadoc.HasConnection(c.ConnectionsOf(s), connection.ID) {
			found.tells = true
			continue
		}
		held := h.of(c, s, connection.ID)
		found.streams, found.held = append(found.streams, s), append(found.held, held)
		found.tells = found.tells || held != holding{}
	}
	return found
}

// value is a share as structured output has it: the names of its streams, or what is told of each by its name.
func (s share) value(shown common) rawjson.Value {
	var names []rawjson.Value
	var counted rawjson.Object
	for i, stream := range s.streams {
		names = append(names, rawjson.Quote(stream.Name))
		if shown.counts {
			counted = append(counted, rawjson.Raw(stream.Name, s.held[i].value(shown)))
		}
	}
	if !shown.counts {
		return rawjson.Array(names)
	}
	return counted.Encode()
}

// words are the same in text.
func (s share) words(shown common) []string {
	words := make([]string, len(s.streams))
	for i, stream := range s.streams {
		words[i] = render.ListedName(stream.Name)
		if shown.counts {
			words[i] = render.RawToken(stream.Name, s.held[i].value(shown))
		}
	}
	return words
}

// value is how many records there are and, unless that is the same for all of the index, when the last was added.
func (h holding) value(shown common) rawjson.Value {
	records := rawjson.Value(cmp.Or(h.records, "null"))
	if !shown.times {
		return records
	}
	return rawjson.Array([]rawjson.Value{records, rawjson.TextOrNull(h.added)})
}
