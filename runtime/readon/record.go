package readon

import (
	"crypto/sha256"
	"encoding/base64"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// record is what is read of a row of a list. All of it shares memory with the page.
type record struct {
	row        rawjson.Value
	fields     rawjson.Value // the row itself when it is flat
	id         rawjson.Value
	connection rawjson.Value
}

func recordOf(row rawjson.Value) record {
	found := record{row: row, fields: row}
	c := rawjson.NewCursor(row)
	for inside := c.Enter(rawjson.ObjectValue); inside && c.More(); {
		name := c.Name()
		isObject := c.Kind() == rawjson.ObjectValue
		value := c.Value()
		switch string(name) {
		case "data":
			if isObject {
				found.fields = value
			}
		case "id", "record_id", "record_key":
			if found.id == nil {
				found.id = value
			}
		case connectionName:
			found.connection = value
		}
	}
	return found
}

func (r record) key() string {
	key, _ := rawjson.Text(r.id)
	return key
}

func (r record) connectionID() string {
	id, _ := rawjson.Text(r.connection)
	return id
}

// print tells records of a page apart in a cursor.
func (r record) print() string {
	sum := sha256.Sum256(r.id)
	return base64.RawURLEncoding.EncodeToString(sum[:6])
}
