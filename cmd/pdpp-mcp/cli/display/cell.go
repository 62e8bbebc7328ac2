package display

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// cellOf returns a string without its quotes, a list of strings with commas, an empty text for null, and any other value as JSON.
func cellOf(value json.RawMessage) string {
	if text, isText := rawjson.Text(value); isText || rawjson.Kind(value) == rawjson.Null {
		return text
	}
	var list []string
	if err := json.Unmarshal(value, &list); err == nil {
		return strings.Join(list, ", ")
	}
	return string(value)
}

// localTimes returns times in the zone of this machine, as dates if none has a time of day, or false unless all cells are times or empty.
func localTimes(cells []string) (local []string, zone string, ok bool) {
	layout := time.DateOnly
	times := make([]time.Time, len(cells))
	for i, cell := range cells {
		if cell == "" {
			continue
		}
		parsed, err := time.Parse(time.RFC3339, cell)
		if err != nil {
			return nil, "", false
		}
		times[i] = parsed.Local()
		zone, _ = times[i].Zone()
		if hour, minute, second := times[i].Clock(); hour+minute+second > 0 {
			layout = "2006-01-02 15:04"
		}
	}
	local = make([]string, len(cells))
	for i, cell := range cells {
		if cell != "" {
			local[i] = times[i].Format(layout)
		}
	}
	return local, zone, zone != ""
}

// areNumbers reports whether all values except null are numbers, and at least one is.
func areNumbers(values []json.RawMessage) bool {
	found := false
	for _, value := range values {
		kind := rawjson.Kind(value)
		if kind != rawjson.Number && kind != rawjson.Null && kind != rawjson.None {
			return false
		}
		found = found || kind == rawjson.Number
	}
	return found
}
