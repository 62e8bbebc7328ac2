package render

import (
	"encoding/json"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// cutRelations are the expanded relations from which records were left out.
type cutRelations struct {
	names   []string
	records []identity // the first record left out of each, where it can be fetched by itself
}

// expanded is the relations that the RS expanded, as many whole records of each as fit together
// (R-FETCH-7), and what was left out of them. It is nil without any.
func (d *document) expanded() (json.RawMessage, cutRelations) {
	relations, ok := rawjson.ParseObject(d.members.Get(expandedName))
	if !ok || len(relations) == 0 {
		return nil, cutRelations{}
	}
	lengths := make([]int, len(relations))
	for i, relation := range relations {
		lengths[i] = rawLength(relation.Value) + Length(relation.Name) + 4
	}
	ceiling := Ceiling(lengths, DocumentExpandedCharacters)
	kept, cut := rawjson.Object{}, cutRelations{}
	for i, relation := range relations {
		if lengths[i] > ceiling {
			whole := relation.Value
			relation.Value = fewerRecords(whole, ceiling-Length(relation.Name)-4)
			cut.names = append(cut.names, relation.Name)
			if left := relatedRecords(whole)[len(relatedRecords(relation.Value)):]; len(left) > 0 {
				if record, ok := newRow(left[0], d.connectionID, ""); ok && record.canFetch() {
					cut.records = append(cut.records, record.identity)
				}
			}
		}
		if relation.Value != nil {
			kept = append(kept, relation)
		}
	}
	return kept.Encode(), cut
}

// relatedRecords are the records of a relation: of an array, of a list envelope, or the one that it is.
func relatedRecords(value json.RawMessage) []json.RawMessage {
	if value == nil {
		return nil
	}
	if records, ok := rawjson.Elements(value); ok {
		return records
	}
	object, _ := rawjson.ParseObject(value)
	if list, ok := rs.ListIn(object); ok {
		return list.Rows
	}
	return []json.RawMessage{value}
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
	relation, ok := rs.ListIn(object)
	if !ok {
		return nil
	}
	found := list{relation}
	empty := found.encode(nil)
	if characters -= rawLength(empty); characters < 0 {
		return nil
	}
	return found.encode(firstRecords(found.Rows, characters))
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
