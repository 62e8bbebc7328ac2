package render

import (
	"encoding/json"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// WholeRows gives the rows of a page of records as Records shows them, but without its bounds: each is whole, with the
// fields that the request asked for. It gives nothing for a response that is no list. What is no object stays as it is.
func WholeRows(response *rs.Response) []json.RawMessage {
	list, err := response.List()
	if err != nil {
		return nil
	}
	asked, projects := response.Request.Query.Get("fields")
	rows := make([]json.RawMessage, len(list.Rows))
	for i, value := range list.Rows {
		rows[i] = value
		if row, ok := newRow(value, "", ""); ok && projects {
			row.project(strings.Split(asked, ","), expands(response))
			rows[i] = row.members.Encode()
		}
	}
	return rows
}

// RowIdentity is what tells a row of a page from others, cut or not.
func RowIdentity(value json.RawMessage) string {
	members, _ := rawjson.ParseObject(value)
	return members.Text("connection_id") + "\x00" + members.Text("stream") + "\x00" + members.FirstText("id", "record_id", "record_key")
}
