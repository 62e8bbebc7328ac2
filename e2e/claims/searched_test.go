package claims_test

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// search compares an exact number of hits with the records that hold the word in a searchable field of the grant.
func (k *checking) search() error {
	streams, _ := k.arguments["streams"].([]string)
	searched, left, want := 0, []string(nil), []string{}
	for _, granted := range k.caller.streams {
		if streams != nil && !slices.Contains(streams, granted.Name) {
			continue
		}
		var fields []string
		for _, field := range k.stream(granted.Name).Fields {
			isGranted := granted.Fields == nil || slices.Contains(granted.Fields, field.Name)
			switch {
			case field.Lexical && isGranted:
				fields = append(fields, field.Name)
			case isGranted && field.Format == "" && (field.Type == "string" || field.Type == "array"):
				left = append(left, field.Name)
			}
		}
		if searched++; fields == nil {
			left = append(left, granted.Name)
		}
		matching := k.truth(granted, "")
		matching.and(`id IN (SELECT record_id FROM searchable JOIN searchable_text ON searchable_text.rowid = searchable.id
			WHERE searchable_text MATCH ? AND field IN (SELECT value FROM json_each(?)))`, `"`+k.word+`"`, encode(fields))
		found, err := matching.rows(k.ctx, "key, connection_id", "")
		if err != nil {
			return err
		}
		for _, row := range found {
			want = append(want, recordid.Handle{ConnectionID: row[1], Stream: granted.Name, RecordID: row[0]}.ID())
		}
	}
	k.limits(slices.DeleteFunc(slices.Clone(k.caller.streams), func(s catalog.StreamGrant) bool { return streams != nil && !slices.Contains(streams, s.Name) }))
	if k.count != nil && *k.count != len(want) {
		k.report(wrongHits, "exactly %d hits, of %d records", *k.count, len(want))
	}
	if len(want) > 0 && k.channel == "structured" { // otherwise the search finds other words
		k.walked(want)
	}
	if k.count != nil && left != nil {
		k.leftOut(searched, left)
	}
	return k.titles()
}

// leftOut checks that a search with a count says what it did not search: all of it in one stream whose fields the
// schema marks, and otherwise that there is such a thing (R-CLAIM-4).
func (k *checking) leftOut(searched int, left []string) {
	said := k.left
	isCounted := strings.Contains(said, "text fields without lex") || strings.Contains(said, "unindexed fields")
	switch {
	case said == "":
		k.report(unsearched, "what is not searched is not named: %s", left)
	case isCounted || searched > 1:
	default:
		for _, name := range left {
			if !slices.Contains(strings.FieldsFunc(said, func(r rune) bool { return strings.ContainsRune(" ,;", r) }), name) {
				k.report(unsearched, "%s is not searched, and not named in %s", name, said)
			}
		}
	}
}

// titles checks that a hit whose record has a subject is not shown with the null of a record without one (R-CLAIM-6).
func (k *checking) titles() error {
	var read struct {
		Results []map[string]any `json:"results"`
	}
	if k.channel == "text" || json.Unmarshal(k.structured, &read) != nil {
		return nil
	}
	for _, hit := range read.Results {
		title, has := hit["title"]
		if key, isText := hit["record_id"].(string); has && title == nil && isText && hit["stream"] == "messages" {
			for _, granted := range k.streams {
				if granted.Name != "messages" || granted.Fields != nil && !slices.Contains(granted.Fields, "subject") {
					continue
				}
				count, err := k.truth(granted, "").and("key = ? AND data->>'subject' != ''", key).count(k.ctx)
				if err != nil {
					return err
				}
				if count > 0 {
					k.report(nullTitle, "%v has a subject", hit["id"])
				}
			}
		}
	}
	return nil
}
