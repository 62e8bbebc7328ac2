package scan

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Limits of the values of a row in a timeline, in characters (R-TIME-2).
const (
	rowCharacters   = 200
	otherCharacters = 40 // of a value without a role
	otherFields     = 3  // without a role
	textCharacters  = 120
)

// shownRoles are the roles whose fields a row shows first.
var shownRoles = []tool.Role{tool.TitleRole, tool.AuthorRole, tool.ContainerRole, tool.AmountRole, tool.CurrencyRole, tool.TextRole}

// shortFields returns the fields that change what a record is (R-CLAIM-5), the fields that have another role, then
// other fields that fit. A long text of a role is clipped. The result shares no memory with the record.
func shortFields(fields rawjson.Object, timeField string) rawjson.Object {
	shown := rawjson.Object{}
	room := rowCharacters
	add := func(name string, value rawjson.Value, limit int) {
		text, isText := rawjson.Text(value)
		length := len(value)
		if isText {
			length = utf8.RuneCountInString(text)
		}
		switch {
		case room <= 0 || name == timeField || shown.Get(name) != nil || length == 0:
		case length <= min(room, limit):
			shown = append(shown, rawjson.Raw(name, value))
			room -= length
		case isText && limit == rowCharacters && room >= textCharacters/2: // a text with a role
			kept := tool.Clip(text, min(room, textCharacters))
			shown = append(shown, rawjson.String(name, fmt.Sprintf("%s…[%d of %d characters shown]", kept, utf8.RuneCountInString(kept), length)))
			room -= utf8.RuneCountInString(kept)
		}
	}
	for _, field := range fields {
		if tool.StateRole.Has(field.Name) && rawjson.Kind(field.Value) == rawjson.Boolean {
			add(field.Name, field.Value, otherCharacters)
		}
	}
	for _, role := range shownRoles {
		if field := role.Field(fields); field.Name != "" && isScalar(field.Value) {
			add(field.Name, field.Value, rowCharacters)
		}
	}
	withRoles := len(shown)
	for _, field := range fields {
		isID := field.Name == wire.ID || strings.HasSuffix(field.Name, "_id")
		isEmpty := string(field.Value) == "false" || string(field.Value) == "0"
		if len(shown) < withRoles+otherFields && isScalar(field.Value) && !isID && !isEmpty {
			add(field.Name, field.Value, otherCharacters)
		}
	}
	return detached(shown)
}

// detached returns a copy of an object with its own memory. A row does not keep its page in memory.
func detached(object rawjson.Object) rawjson.Object {
	size := 0
	for _, member := range object {
		size += len(member.Value)
	}
	room := make([]byte, 0, size)
	for i, member := range object {
		start := len(room)
		room = append(room, member.Value...)
		object[i].Value = room[start:len(room):len(room)]
	}
	return object
}

func isScalar(value rawjson.Value) bool {
	switch rawjson.Kind(value) {
	case rawjson.StringValue, rawjson.Number, rawjson.Boolean:
		return true
	}
	return false
}
