package render

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// nestingSearched bounds how deep a hit is searched for resource URIs. Deeper values are left out: a
// search hit has no such depth.
const nestingSearched = 32

// withoutURIs takes record and field-window URIs out of a value and collects them (R-SEARCH-10). It
// is nil when the value itself is such a URI.
func withoutURIs(value json.RawMessage, depth int, uris *[]json.RawMessage) json.RawMessage {
	if depth == 0 && hasNoURI(value) {
		return value
	}
	kind := rawjson.Kind(value)
	if depth == nestingSearched && (kind == rawjson.ObjectValue || kind == rawjson.ArrayValue) {
		return nil
	}
	switch kind {
	case rawjson.StringValue:
		text := rawjson.TextOf(value)
		if !strings.Contains(text, "pdpp://") {
			return value
		}
		for _, uri := range handleURI.FindAllString(text, -1) {
			*uris = append(*uris, rawjson.Quote(uri))
		}
		rest := handleURI.ReplaceAllString(text, "")
		if rest == "" {
			return nil
		}
		if rest != text {
			return rawjson.Quote(rest)
		}
	case rawjson.ObjectValue:
		object, _ := rawjson.ParseObject(value)
		kept := rawjson.Object{}
		for _, member := range object {
			if clean := withoutURIs(member.Value, depth+1, uris); clean != nil {
				kept = append(kept, rawjson.Raw(member.Name, clean))
			}
		}
		return kept.Encode()
	case rawjson.ArrayValue:
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

// hasNoURI tells the usual values, in which there is nothing to search for: no URI, no escape that could
// hide one, and no more brackets than may nest.
func hasNoURI(value json.RawMessage) bool {
	brackets := bytes.Count(value, []byte{'{'}) + bytes.Count(value, []byte{'['})
	return brackets <= nestingSearched && bytes.IndexByte(value, '\\') < 0 && !bytes.Contains(value, []byte("pdpp://"))
}

// handleURI is a record or field-window URI, also within a text.
var handleURI = regexp.MustCompile(`pdpp://(?:record|field-window)(?:/[^\s"'<>]*)?`)
