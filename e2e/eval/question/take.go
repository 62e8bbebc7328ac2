package question

import (
	"encoding/json"
	"strconv"

	"github.com/pdppmcp/pdpp-mcp/e2e/journey/blind"
)

func ofIndex(found []blind.Source, take string) []string {
	var values []string
	for _, source := range found {
		if take == "connection" {
			values = append(values, source.ConnectionID)
		} else {
			values = append(values, source.Stream)
		}
	}
	return values
}

func ofAggregate(found blind.Aggregate, take string) []string {
	if take == "value" {
		return present(plain(found.Value))
	}
	var values []string
	for _, group := range found.Groups {
		switch take {
		case "keys":
			values = append(values, plain(group.Key))
		case "counts":
			values = append(values, strconv.Itoa(group.Count))
		default:
			values = append(values, plain(group.Key)+": "+strconv.Itoa(group.Count))
		}
	}
	return values
}

func ofHits(found []blind.Hit, take string) []string {
	if take == "count" {
		return []string{strconv.Itoa(len(found))}
	}
	var values []string
	for _, hit := range found {
		switch take {
		case "id":
			values = append(values, hit.ID)
		case "title":
			values = append(values, hit.Title)
		default:
			values = append(values, hit.Text)
		}
	}
	return values
}

func ofRows(found []blind.Row, take string) []string {
	if take == "count" {
		return []string{strconv.Itoa(len(found))}
	}
	var values []string
	for _, row := range found {
		switch clipped, isClipped := row.Clipped[take]; {
		case take == "id":
			values = append(values, row.ID)
		case isClipped:
			values = append(values, clipped)
		case row.Values[take] != nil:
			values = append(values, plain(row.Values[take]))
		}
	}
	return values
}

// present returns a value as a list, which is empty without one.
func present(value string) []string {
	if value == "" {
		return nil
	}
	return []string{value}
}

// plain returns a JSON value as text.
func plain(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}
