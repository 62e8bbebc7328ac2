package claims_test

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// feed counts the changes since the beginning, with deletions.
func (k *checking) feed() error {
	all := k.truth(k.granted, k.connection)
	all.where[0] = "stream = ?"
	count, err := all.count(k.ctx)
	if err != nil {
		return err
	}
	k.limits([]catalog.StreamGrant{k.granted})
	if k.isWhole && k.rows > count {
		k.report(wrongRows, "%d changes of %d records", k.rows, count)
	}
	return nil
}

// timeline counts the records in the range, of the streams whose consent time is their time.
func (k *checking) timeline() error {
	k.limits(k.streams)
	if !k.isWhole {
		return k.drafts()
	}
	bounds := k.arguments["filter"].(map[string]any)["time"].(map[string]string)
	want := 0
	for _, granted := range k.streams {
		field := k.stream(granted.Name).ConsentTimeField
		if field == "" || granted.Fields != nil && !slices.Contains(granted.Fields, field) {
			continue
		}
		covered := k.truth(granted, "")
		covered.and("julianday(data->>'"+field+"') >= julianday(?) AND julianday(data->>'"+field+"') < julianday(?)", bounds["gte"], bounds["lt"])
		count, err := covered.count(k.ctx)
		if err != nil {
			return err
		}
		want += count
	}
	if k.rows < want {
		k.report(wrongRows, "%d rows of a timeline and no further page, of %d records", k.rows, want)
	}
	return k.drafts()
}

// drafts checks that each mail in a timeline is shown as a draft or as none (R-CLAIM-5).
func (k *checking) drafts() error {
	var read struct {
		Data struct {
			Data []struct {
				Handle string         `json:"handle"`
				Data   map[string]any `json:"data"`
			} `json:"data"`
		} `json:"data"`
	}
	if k.channel == "text" || json.Unmarshal(k.structured, &read) != nil {
		return nil
	}
	for _, granted := range k.streams {
		if granted.Name != "messages" || granted.Fields != nil && !slices.Contains(granted.Fields, "is_draft") {
			continue
		}
		for _, row := range read.Data.Data {
			_, key, isMessage := strings.Cut(row.Handle, "/messages:")
			if !isMessage {
				continue
			}
			count, err := k.truth(granted, "").and("key = ? AND data->>'is_draft'", key).count(k.ctx)
			if err != nil {
				return err
			}
			if row.Data["is_draft"] != (count > 0) {
				k.report(hiddenDraft, "%s is a draft: %v, and it shows %v", row.Handle, count > 0, row.Data["is_draft"])
			}
		}
	}
	return nil
}
