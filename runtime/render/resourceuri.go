package render

import (
	"encoding/json"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/render/rawjson"
)

// nestingSearched bounds how deep a hit is searched for resource URIs. Deeper values are left out: a
// search hit has no such depth.
const nestingSearched = 32

// withoutURIs takes record and field-window URIs out of a value and collects them (R-SEARCH-10). It
// is empty when the value itself is such a URI.
func withoutURIs(value json.RawMessage, depth int, uris *[]json.RawMessage) json.RawMessage {
	switch rawjson.Kind(value) {
	case rawjson.StringValue:
		text, _ := rawjson.Text(value)
		if isHandleURI(text) {
			*uris = append(*uris, value)
			return nil
		}
	case rawjson.ObjectValue:
		if depth == nestingSearched {
			return nil
		}
		object, _ := rawjson.ParseObject(value)
		kept := rawjson.Object{}
		for _, member := range object {
			if clean := withoutURIs(member.Value, depth+1, uris); clean != nil {
				kept = append(kept, rawjson.Raw(member.Name, clean))
			}
		}
		return kept.Encode()
	case rawjson.ArrayValue:
		if depth == nestingSearched {
			return nil
		}
		elements, _ := rawjson.Elements(value)
		kept := []json.RawMessage{}
		for _, element := range elements {
			if clean := withoutURIs(element, depth+1, uris); clean != nil {
				kept = append(kept, clean)
			}
		}
		return rawjson.Array(kept)
	}
	return value
}

func isHandleURI(text string) bool {
	return recordid.IsURI(text) && !strings.HasPrefix(text, "pdpp://"+string(recordid.KindStream)+"/")
}
