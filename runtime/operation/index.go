package operation

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// indexBytes is the maximum size of text and structured output of the index together (R-SCH-2).
const indexBytes = 40_000

// Bounds of what the index repeats of the server's document, in bytes.
const (
	ownMemberBytes   = 2_000
	displayNameBytes = 500
	metaBytes        = 8_000
	warningBytes     = 4_000 // of the text
)

// index is the list of every granted stream by connector, without what can be done with them.
type index struct {
	*schemadoc.Document
	response         *rs.Response
	input            SchemaInput
	holdings         holdings
	ambiguousStreams []string // streams that several connections have, so that a read needs a connection_id
	now              rawjson.Object
}

// renderIndex returns a table of the connections, or if that does not fit the names of the streams that fit and counts of the others.
func renderIndex(response *rs.Response, d *schemadoc.Document, input SchemaInput, held holdings, clock tool.Clock) (*tool.Result, error) {
	x := &index{Document: d, response: response, input: input, holdings: held, ambiguousStreams: sharedStreams(d)}
	if clock.Zone != nil { // R-TIME-8
		x.now = rawjson.Texts("now", clock.Now().Format("2006-01-02T15:04Z07:00"), "time_zone", clock.Zone.String())
	}
	forms := []func() (text string, structured json.RawMessage){x.counts}
	if table := x.newTable(); table != nil {
		forms = slices.Insert(forms, 0, table.render)
	}
	for _, form := range forms {
		text, structured := form()
		heading, rest, _ := strings.Cut(text, "\n")
		for _, member := range x.now {
			heading += " " + render.Token(member.Name, x.now.Text(member.Name))
		}
		if text = heading + "\n" + rest; len(text)+len(structured) <= indexBytes {
			return &tool.Result{Text: text, Structured: structured}, nil
		}
	}
	return nil, x.response.Unusable(fmt.Sprintf("the index of all streams is larger than %d bytes", indexBytes),
		"call "+tool.SchemaTool+" with connection_id or with stream")
}

// replacedNames are members of the server's document that the index writes itself, or that tell a model nothing.
var replacedNames = []string{"connector_count", "stream_count", "object", "detail", "links", "bearer"}

// data returns the document with these rows, and the server's other members within the bounds. Its meta has the warnings.
func (x *index) data(rows []rawjson.Value, memberBytes, metaBytes int) rawjson.Object {
	data := rawjson.Object{}
	hasWarnings := len(render.WarningLines(x.Members)) > 0
	for _, member := range x.Members.Without(replacedNames...) {
		isMeta := member.Name == "meta"
		if isMeta && hasWarnings && len(member.Value) <= metaBytes || !isMeta && len(member.Value) <= memberBytes {
			data = append(data, member)
		}
	}
	return withLeftOut(append(append(data, x.now...),
		rawjson.Int("connector_count", int64(len(x.Connectors))),
		rawjson.Int("stream_count", int64(x.StreamCount())),
		rawjson.Raw("connectors", rawjson.Array(rows)),
	), "connectors_left_out", len(x.Connectors)-len(rows))
}

func withKey(row rawjson.Object, c *schemadoc.Connector, keyBytes int) rawjson.Object {
	if c.Key == "" {
		return row
	}
	return append(row, rawjson.String("connector_key", shortKey(c, keyBytes)))
}

// warnings returns the server's warnings up to a number of bytes, and the number of the others.
func (x *index) warnings(bytes int) []string {
	lines := render.WarningLines(x.Members)
	for i, line := range lines {
		if bytes -= len(line); bytes < 0 {
			return append(lines[:i:i], fmt.Sprintf("more_warnings=%d", len(lines)-i))
		}
	}
	return lines
}

// sharedStreams returns the streams for which a read has to name one of several connections, in a document of several grants.
func sharedStreams(d *schemadoc.Document) []string {
	if !d.HasSeveralGrants() {
		return nil
	}
	var names []string
	first, isShared := map[string]string{}, map[string]bool{} // by stream
	for c, s := range d.Rows() {
		for _, connection := range c.ConnectionsOf(s) {
			if id, known := first[s.Name]; !known {
				first[s.Name] = connection.ID
			} else if id != connection.ID && !isShared[s.Name] {
				names, isShared[s.Name] = append(names, s.Name), true
			}
		}
	}
	return names
}
