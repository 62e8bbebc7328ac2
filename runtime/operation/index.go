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

// rowStyle is how the structured index lists streams.
type rowStyle int

const (
	asRows  rowStyle = iota // objects, as the server lists them
	asNames                 // strings
	asRoom                  // names of the connectors for which there is room, else counts
)

// indexStyle is how much stands beside the stream names.
type indexStyle struct {
	connections int // of each connector; with 0 a connector is one line of text
	label       int // characters of a display name
	key         int // bytes of a connector key in text
	sent        int // bytes of one member of the server's envelope
	rows        rowStyle
	shares      bool // each connection has the streams that are its own, in a table in text; else its connector has them
	name        int  // bytes of a stream name in text; longer ones, and those without room, are counted. With 0 all are shown
}

// indexStyles are tried in turn until the index fits. Stream names give way in the last one alone.
var indexStyles = []indexStyle{
	{label: 100, key: 100, sent: 2_000, shares: true},
	{connections: 20, label: 100, key: 100, sent: 2_000, rows: asRows},
	{connections: 20, label: 100, key: 100, sent: 2_000, rows: asNames},
	{connections: 5, label: 40, key: 60, sent: 1_000, rows: asNames},
	{connections: 5, label: 40, key: 60, sent: 1_000, rows: asRoom},
	{connections: 1, label: 20, key: 40, sent: 400, rows: asRoom},
	{connections: 0, key: 24, sent: 400, rows: asRoom},
	{connections: 0, key: 4, sent: 0, rows: asRoom},
	{connections: 0, key: 4, sent: 0, rows: asRoom, name: handleMaximum},
}

// index is the list of every granted stream by connector, without what can be done with them.
type index struct {
	*schemadoc.Document
	response *rs.Response
	input    SchemaInput
	holdings holdings
	common   common // of the holdings
}

// renderIndex is the index in the first style that fits.
func renderIndex(response *rs.Response, d *schemadoc.Document, input SchemaInput, held holdings) (*tool.Result, error) {
	x := &index{Document: d, response: response, input: input, holdings: held}
	x.common = x.findCommon()
	styles := indexStyles
	if !x.common.tells {
		styles = styles[1:]
	}
	for _, style := range styles {
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
	if style.rows == asRoom {
		room -= len(x.wrap(style, nil))
	}
	if style.shares {
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
