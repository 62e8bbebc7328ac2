package render

import (
	"encoding/json"

	"github.com/pdppmcp/pdpp-mcp/runtime/render/rawjson"
)

// expanded is the relations that the RS expanded, as many whole records of each as fit together
// (R-FETCH-7), and the names of those from which records were left out. It is nil without any.
func (d *document) expanded() (json.RawMessage, []string) {
	relations, ok := rawjson.ParseObject(d.members.Get(expandedName))
	if !ok || len(relations) == 0 {
		return nil, nil
	}
	lengths := make([]int, len(relations))
	for i, relation := range relations {
		lengths[i] = rawLength(relation.Value) + Length(relation.Name) + 4
	}
	ceiling := Ceiling(lengths, DocumentExpandedCharacters)
	kept, cut := rawjson.Object{}, []string{}
	for i, relation := range relations {
		if lengths[i] > ceiling {
			cut = append(cut, relation.Name)
			relation.Value = fewerRecords(relation.Value, ceiling-Length(relation.Name)-4)
		}
		if relation.Value != nil {
			kept = append(kept, relation)
		}
	}
	return kept.Encode(), cut
}

// fewerRecords keeps the first records of a relation, within a number of characters. It is nil when
// there is nothing to keep.
func fewerRecords(value json.RawMessage, characters int) json.RawMessage {
	if records, ok := rawjson.Elements(value); ok {
		return rawjson.Array(firstRecords(records, characters))
	}
	object, ok := rawjson.ParseObject(value)
	if !ok {
		return nil
	}
	found := findRows(object)
	if found == nil {
		return nil
	}
	found.outer = object
	empty := found.encode(nil, false)
	if characters -= rawLength(empty); characters < 0 {
		return nil
	}
	return found.encode(firstRecords(found.rows, characters), false)
}

func firstRecords(records []json.RawMessage, characters int) []json.RawMessage {
	kept := []json.RawMessage{}
	for _, record := range records {
		if characters -= rawLength(record) + 1; characters < 2 {
			break
		}
		kept = append(kept, record)
	}
	return kept
}
