package render

import (
	"encoding/json"
	"regexp"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// maxSearchedDepth limits how deep a hit is searched for resource URIs. Deeper values are left out: no search hit has that depth.
const maxSearchedDepth = 32

// handleURI is a record or field-window URI, also within a text.
var handleURI = regexp.MustCompile(`pdpp://(?:record|field-window)(?:/[^\s"'<>]*)?`)

// withoutURIs removes record and field-window URIs from a value and collects them (R-SEARCH-10). It returns nil for such a URI.
func withoutURIs(value json.RawMessage, depth int, uris *[]json.RawMessage) json.RawMessage {
	kind := rawjson.Kind(value)
	isNested := kind == rawjson.ObjectValue || kind == rawjson.ArrayValue
	switch {
	case isNested && depth == maxSearchedDepth:
		return nil
	case kind == rawjson.StringValue:
		text := rawjson.TextOf(value)
		found := handleURI.FindAllString(text, -1)
		if found == nil {
			return value
		}
		for _, uri := range found {
			*uris = append(*uris, rawjson.Quote(uri))
		}
		if text = handleURI.ReplaceAllString(text, ""); text == "" {
			return nil
		}
		return rawjson.Quote(text)
	case kind == rawjson.ObjectValue:
		object, _ := rawjson.ParseObject(value)
		kept := rawjson.Object{}
		for _, member := range object {
			if member.Value = withoutURIs(member.Value, depth+1, uris); member.Value != nil {
				kept = append(kept, member)
			}
		}
		return kept.Encode()
	case kind == rawjson.ArrayValue:
		elements, _ := rawjson.Elements(value)
		kept := []json.RawMessage{}
		for _, element := range elements {
			if element = withoutURIs(element, depth+1, uris); element != nil {
				kept = append(kept, element)
			}
		}
		return rawjson.Array(kept)
	}
	return value
}
