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

// openHits takes an answer apart. An answer without a list of objects is an *rs.Failure.
func openHits(response *rs.Response) (*hitsPage, error) {
	list, err := response.List()
	if err != nil {
		return nil, err
	}
	page := &hitsPage{hits: list.Rows, nextCursor: list.Text("next_cursor"), meta: list.Meta()}
	if said := list.Get("has_more"); rawjson.Kind(said) == rawjson.Boolean {
		more := string(said) == "true"
		page.hasMore = &more
	}
	for i, row := range list.Rows {
		if rawjson.Kind(row) != rawjson.ObjectValue {
			return nil, response.Unusable(fmt.Sprintf("hit %d of the source's answer is not an object", i+1), "")
		}
	}
	return page, nil
}

// attributed is a hit, given with its members, that names its source. What the hit says itself stays, and a hit of a
// connection that no member of the package names, which a grant over several may send, takes nothing from this one
// (R-PKG-2).
func (s *Source) attributed(value rawjson.Value, hit rawjson.Object) rawjson.Value {
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
