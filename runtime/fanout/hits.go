package fanout

import (
	"fmt"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// hitsPage is one source's answer to a search.
type hitsPage struct {
	hits       []rawjson.Value // objects
	nextCursor string
	hasMore    *bool // nil: not said
	meta       rawjson.Object
}

// rowNames are the members under which servers list hits, the usual one first.
var rowNames = []string{"data", "records", "results", "hits"}

// openHits takes an answer apart. Older servers wrap the list in one more data object. An answer without a
// list of objects is an *rs.Failure.
func openHits(response *rs.Response) (*hitsPage, error) {
	body, err := openBody(response)
	if err != nil {
		return nil, err
	}
	rows, found := findRows(body)
	if !found {
		if inner, ok := rawjson.ParseObject(body.Get("data")); ok {
			if rows, found = findRows(inner); found {
				body = append(inner, body...) // what stands beside the rows comes first
			}
		}
	}
	if !found {
		return nil, unusable(response, "the source's answer holds no list of hits", nil)
	}
	page := &hitsPage{nextCursor: body.Text("next_cursor")}
	page.meta, _ = rawjson.ParseObject(body.Get("meta"))
	if said := body.Get("has_more"); rawjson.Kind(said) == rawjson.Boolean {
		more := string(said) == "true"
		page.hasMore = &more
	}
	for i, row := range rows {
		if rawjson.Kind(row) != rawjson.ObjectValue {
			return nil, unusable(response, fmt.Sprintf("hit %d of the source's answer is not an object", i+1), nil)
		}
	}
	page.hits = rows
	return page, nil
}

func findRows(object rawjson.Object) ([]rawjson.Value, bool) {
	for _, name := range rowNames {
		if rows, ok := rawjson.Elements(object.Get(name)); ok {
			return rows, true
		}
	}
	return nil, false
}

// openBody takes the body of an answer apart. A body that is not a JSON object is an *rs.Failure.
func openBody(response *rs.Response) (rawjson.Object, error) {
	compact, err := rawjson.Compact(response.Body)
	if err != nil {
		return nil, unusable(response, "the source's answer is not JSON in UTF-8", err)
	}
	body, ok := rawjson.ParseObject(compact)
	if !ok {
		return nil, unusable(response, "the source's answer is not a JSON object", nil)
	}
	return body, nil
}

func unusable(response *rs.Response, message string, cause error) *rs.Failure {
	return &rs.Failure{
		Reason: rs.InvalidResponse, Message: message, Status: response.Status, RequestID: response.RequestID, URL: response.URL, Cause: cause,
	}
}

// attributed is a hit that names its source. What the hit says itself stays, and a hit of another
// connection, which a grant over several may send, takes nothing from this one (R-PKG-2).
func (s *Source) attributed(value rawjson.Value) rawjson.Value {
	hit, _ := rawjson.ParseObject(value)
	own := hit.FirstText("connection_id", "connector_instance_id")
	if own != "" && own != s.ConnectionID {
		return value
	}
	changed := false
	for _, member := range []struct {
		name, value, other string // the other name says the same
	}{
		{"connection_id", s.ConnectionID, "connector_instance_id"},
		{"connector_key", s.ConnectorKey, "connector_id"},
		{"display_name", s.DisplayName, "label"},
	} {
		if member.value != "" && hit.FirstText(member.name, member.other) == "" {
			hit, changed = hit.With(member.name, rawjson.Quote(member.value)), true
		}
	}
	if !changed {
		return value
	}
	return hit.Encode()
}
