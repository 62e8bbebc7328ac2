package display

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// cell renders a value on one line: a string without its quotes, a list of strings with commas, and nothing for null.
func cell(value json.RawMessage) string {
	if plain, isText := rawjson.Text(value); isText {
		return invocation.OneLine(plain)
	}
	var list []string
	if err := json.Unmarshal(value, &list); err == nil {
		return invocation.OneLine(strings.Join(list, ", "))
	}
	return invocation.OneLine(string(value))
}

// instants reports whether all cells that are not empty are times with a date, and at least one is.
func instants(cells []string) bool {
	found := false
	for _, each := range cells {
		if each == "" {
			continue
		}
		if _, err := time.Parse(time.RFC3339, each); err != nil {
			return false
		}
		found = true
	}
	return found
}

// localTimes renders times in the zone of the machine, whose name it returns, to the minute, and as dates if that loses nothing.
func localTimes(cells []string) (zone string) {
	layout := time.DateOnly
	times := make([]time.Time, len(cells))
	for i, each := range cells {
		if each == "" {
			continue
		}
		times[i], _ = time.Parse(time.RFC3339, each) // instants has parsed it
		times[i] = times[i].Local()
		if hour, minute, second := times[i].Clock(); hour+minute+second > 0 {
			layout = "2006-01-02 15:04"
		}
	}
	for i, each := range cells {
		if each != "" {
			cells[i] = times[i].Format(layout)
			zone, _ = times[i].Zone()
		}
	}
	return zone
}

// numbers reports whether all values that are there are numbers.
func numbers(values []json.RawMessage) bool {
	found := false
	for _, value := range values {
		switch rawjson.Kind(value) {
		case rawjson.Number:
			found = true
		case rawjson.Null, rawjson.None:
		default:
			return false
		}
	}
	return found
}
