package resource

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// Quirks are habits of the reference provider that the sandbox has only on request, to test clients with them.
type Quirks struct {
	// ShiftedDates declares group_by_time on every date field. A date is midnight UTC, so a time_zone west of UTC moves it
	// to the day before.
	ShiftedDates bool
	// NarrowIndex limits the search of a stream to three fields: title, sender and snippet.
	NarrowIndex bool
	// StaleIndex leaves the newer half of each stream's changes out of the searches, which still claim to be complete. The
	// metadata of the resource reports the index as stale.
	StaleIndex bool
}

// Set turns on the quirk with a name of QuirkNames.
func (q *Quirks) Set(name string) error {
	switch name {
	case "shifted-dates":
		q.ShiftedDates = true
	case "narrow-index":
		q.NarrowIndex = true
	case "stale-index":
		q.StaleIndex = true
	default:
		return fmt.Errorf("unknown quirk %q: use %s or strict-registration", name, strings.Join(QuirkNames(), ", "))
	}
	return nil
}

// QuirkNames returns the names that Set accepts.
func QuirkNames() []string { return []string{"shifted-dates", "narrow-index", "stale-index"} }

// IndexState returns the index_state of the resource's metadata.
func (q Quirks) IndexState() string {
	if q.StaleIndex {
		return "stale"
	}
	return "built"
}

// indexedRoles are the roles of the fields in a narrow index.
var indexedRoles = []string{"primary-title", "actor", "secondary"}

// connectors returns the declarations as the quirks change them. The given ones stay as they are.
func (q Quirks) connectors(declared []catalog.Connector) []catalog.Connector {
	changed := slices.Clone(declared)
	for i := range changed {
		changed[i].Streams = slices.Clone(changed[i].Streams)
		for j := range changed[i].Streams {
			stream := &changed[i].Streams[j]
			stream.Fields = slices.Clone(stream.Fields)
			for k := range stream.Fields {
				q.change(&stream.Fields[k])
			}
		}
	}
	return changed
}

func (q Quirks) change(field *catalog.Field) {
	if q.NarrowIndex && !slices.Contains(indexedRoles, field.Role) {
		field.Lexical = false
	}
	if q.ShiftedDates && field.Format == "date" && !slices.Contains(field.Aggregations, "group_by_time") {
		field.Aggregations = append(slices.Clone(field.Aggregations), "group_by_time")
	}
}
