package operation

import (
	"fmt"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// indexBytes bounds text and structured output of the index together (R-SCH-2).
const indexBytes = 40_000

// indexStyle is how much the index shows of each connector.
type indexStyle struct {
	connections int  // of each connector; with 0 a connector is one line of text
	label       int  // characters of a display name
	key         int  // bytes of a connector key in text
	sent        int  // bytes of one member of the server's envelope
	perSource   bool // each connection has its own streams, in a table in text; otherwise the connector has them
	counts      bool // structured output has the names of the connectors that fit, otherwise counts
}

// The index styles, from the most to the least detailed.
var (
	tableStyle = indexStyle{label: 100, key: 100, sent: 2_000, perSource: true}
	namesStyle = indexStyle{connections: 20, label: 40, key: 60, sent: 2_000}
	countStyle = indexStyle{sent: 400, counts: true}
)

// keyBytes bounds the connector keys of countStyle together, so that the names of the streams have room.
const keyBytes = 4_000

// index is the list of every granted stream by connector, without what can be done with them.
type index struct {
	*schemadoc.Document
	response    *rs.Response
	input       SchemaInput
	holdings    holdings
	common      common   // of the holdings
	sharedNames []string // of streams that several connections have
}

// renderIndex renders the index in the first style that fits.
func renderIndex(response *rs.Response, d *schemadoc.Document, input SchemaInput, held holdings) (*tool.Result, error) {
	x := &index{Document: d, response: response, input: input, holdings: held, sharedNames: sharedStreams(d)}
	x.common = x.findCommon()
	styles := []indexStyle{tableStyle, namesStyle, countStyle}
	if !x.common.tells {
		styles = styles[1:]
	}
	for _, style := range styles {
		if style.counts {
			style.key = min(24, max(4, keyBytes/max(1, len(d.Connectors))))
		}
		if result := x.result(style); result != nil {
			return result, nil
		}
	}
	return nil, x.response.Unusable(fmt.Sprintf("the index of all streams is larger than %d bytes", indexBytes),
		"call "+tool.SchemaTool+" with connection_id or with stream")
}

// result is the index, or nil when it does not fit.
func (x *index) result(style indexStyle) *tool.Result {
	room, write := indexBytes, x.text
	if style.counts {
		room -= len(x.wrap(style, nil))
	}
	if style.perSource {
		write = x.table
	}
	text, fits := write(style, room)
	if !fits {
		return nil
	}
	structured := x.structured(style, room-len(text))
	if len(text)+len(structured) > indexBytes {
		return nil
	}
	return &tool.Result{Text: text, Structured: structured}
}

// narrowerMost bounds the calls for narrower indexes.
const narrowerMost = 3

// narrower are the calls for the indexes of single connections, which show the rows that are left out (R-BUD-1).
func (x *index) narrower() []render.Call {
	var calls []render.Call
	for _, c := range x.Connectors {
		if x.input.ConnectionID == nil && len(calls) < narrowerMost {
			if shown, _ := usableConnections(c.Connections, 1); len(shown) > 0 {
				calls = append(calls, schemaCall(rawjson.String(tool.SchemaConnectionID, shown[0].ID)))
			}
		}
	}
	return calls
}

func schemaCall(arguments ...rawjson.Member) render.Call {
	return render.Call{Tool: tool.SchemaTool, Arguments: append(rawjson.Object{}, arguments...)}
}
