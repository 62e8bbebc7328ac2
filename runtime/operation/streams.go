package operation

import (
	"encoding/json"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// renderStreams shows each source's row of one stream and what it supports (R-SCH-3), within the bound
// of a channel (R-BUD-2). Both channels show the same portion.
func renderStreams(response *rs.Response, d *schemadoc.Document, input SchemaInput) (*tool.Result, error) {
	view := newDetail(response, d, input)
	var result tool.Result
	shown, ok := fit(len(view.rows), view.widest, view.fits)
	if ok {
		result.Text, ok = view.text(shown)
		result.Structured = view.structured(shown)
	}
	if !ok {
		return nil, response.Unusable("the schema of this stream does not fit into one result", "name its connection_id")
	}
	return &result, nil
}

// fits reports whether both channels keep their bound.
func (d *detail) fits(shown portion) bool {
	if _, ok := d.text(shown); !ok {
		return false
	}
	structured := d.structured(shown)
	return structured != nil && render.Length(string(structured)) <= render.ChannelCharacters
}

// structured is the compact document of the rows, and what its words mean. It is nil when it is much too
// large.
func (d *detail) structured(shown portion) json.RawMessage {
	data := d.compact(shown)
	if data == nil {
		return nil
	}
	members := rawjson.Object{rawjson.Raw("data", data), rawjson.Raw("legend", d.legend(shown, true))}
	return render.Structured(d.response, members, d.calls(shown))
}
