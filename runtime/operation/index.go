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
}

// indexStyles are tried in turn until the index fits. Stream names give way in none of them.
var indexStyles = []indexStyle{
	{label: 100, key: 100, sent: 2_000, shares: true},
	{connections: 20, label: 100, key: 100, sent: 2_000, rows: asRows},
	{connections: 20, label: 100, key: 100, sent: 2_000, rows: asNames},
	{connections: 5, label: 40, key: 60, sent: 1_000, rows: asNames},
	{connections: 5, label: 40, key: 60, sent: 1_000, rows: asRoom},
	{connections: 1, label: 20, key: 40, sent: 400, rows: asRoom},
	{connections: 0, key: 24, sent: 400, rows: asRoom},
	{connections: 0, key: 4, sent: 0, rows: asRoom},
}

// index is the list of every granted stream by connector, without what can be done with them.
type index struct {
	*schemadoc.Document
	response *rs.Response
	input    SchemaInput
	holdings holdings
	common   common // of the holdings
}

// reservedBytes is the room of the smallest structured index, in which no connector is listed.
const reservedBytes = 4_000

// renderIndex makes the index fit. Names that pass the bound by themselves are counted, and the text
// says so.
func renderIndex(response *rs.Response, d *schemadoc.Document, input SchemaInput, held holdings) (*tool.Result, error) {
	x := &index{Document: d, response: response, input: input, holdings: held}
	x.common = x.findCommon()
	styles := indexStyles
	if !x.common.tells {
		styles = styles[1:]
	}
	all := x.StreamCount()
	for _, style := range styles {
		if result := x.result(style, all); result != nil {
			return result, nil
		}
	}
	style := styles[len(styles)-1]
	names := most(min(all, indexBytes), func(names int) bool { return len(x.text(style, names)) <= indexBytes-reservedBytes })
	if result := x.result(style, names); result != nil {
		return result, nil
	}
	return nil, x.response.Unusable(fmt.Sprintf("the index of all streams is larger than %d bytes", indexBytes),
		"call "+tool.SchemaTool+" with connection_id or with stream")
}

// result is the index with the first so many stream names in text, or nil when it does not fit.
func (x *index) result(style indexStyle, names int) *tool.Result {
	var text string
	if style.shares {
		text = x.table(style)
	} else {
		text = x.text(style, names)
	}
	if len(text) > indexBytes {
		return nil
	}
	structured := x.structured(style, indexBytes-len(text))
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
