package render

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const titleCharacters = 160

// Titles that sources give, the surest first, and the names of files.
var titleNames = []string{"title", "subject", "name", "headline", "summary", "filename", "file_name"}

// Times at which something was written or happened. The first that a record has stands in its title,
// before the time at which it was collected (R-SEARCH-7).
var timeNames = []string{
	"sent_at", "authored_at", "created_at", "published_at", "posted_at", "received_at", "occurred_at", "started_at",
	"start_time", "timestamp", "date", "updated_at",
}

// ownTitle is the title that the source gave, unless it repeats one of the shown texts; empty without one.
func ownTitle(members, fields rawjson.Object, shown []string) string {
	for _, from := range []rawjson.Object{members, fields} {
		for _, name := range titleNames {
			own := plain(from.Text(name))
			if own != "" && !repeats(own, shown) && !strings.HasPrefix(own, "pdpp://") {
				return tool.Clip(own, titleCharacters)
			}
		}
	}
	return ""
}

// madeTitle is made of label, stream and time. It never says again what one of the shown texts says.
func madeTitle(id identity, label, time string, shown []string) string {
	var parts []string
	for _, part := range []string{label, id.stream, time} {
		if clipped := tool.Clip(plain(part), tool.LabelCharacters); clipped != "" && !repeats(clipped, shown) {
			parts = append(parts, clipped)
		}
	}
	return cmp.Or(strings.Join(parts, " / "), "Untitled")
}

// plain is a text on one line, without highlight tags.
func plain(text string) string {
	if strings.Contains(text, "<") {
		text = markTags.ReplaceAllString(text, "")
	}
	return strings.Join(strings.Fields(unmarked(text)), " ")
}

// essence is what a text comes to: case, spaces and the dots of a cut do not count.
func essence(text string) string { return strings.Trim(strings.ToLower(plain(text)), ". …") }

// repeats reports whether a title says no more than one of the shown texts, or says all of it.
func repeats(title string, shown []string) bool {
	title = essence(title)
	return slices.ContainsFunc(shown, func(text string) bool {
		text = essence(text)
		return text != "" && (strings.Contains(text, title) || strings.Contains(title, text))
	})
}

// timeInTitle is when a record happened, else when it was added, which says so: nobody is to take it for the other.
func timeInTitle(happened string, members rawjson.Object) string {
	if added := members.Text("emitted_at"); happened == "" && added != "" {
		return "added " + added
	}
	return happened
}

// dayOf shortens a time in a title to its day. The hit has the time itself in a member of its own.
func dayOf(text string) string {
	if at := strings.IndexByte(text, 'T'); at > 0 && strings.HasSuffix(text, "Z") {
		return text[:at]
	}
	return text
}

// authoredTime is the authored or event time that stands under a known name; empty without one.
func authoredTime(members, fields rawjson.Object) string {
	for _, from := range []rawjson.Object{fields, members} {
		for _, name := range timeNames {
			if authored := timeText(from.Get(name)); authored != "" {
				return authored
			}
		}
	}
	return ""
}

// inUTC is a time of a zone in UTC, so that those of several zones can be compared as they stand. Other texts stay as they are.
func inUTC(text string) string {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil || strings.HasSuffix(text, "Z") {
		return text
	}
	return at.UTC().Format(time.RFC3339Nano)
}

// Numbers of seconds and of milliseconds since 1970 that can be times of records: from 1973 to 2286.
const (
	secondsLeast, secondsMost = 1e8, 1e10
	millisecondsMost          = 1e13
)

// timeText is a time as a source wrote it; numbers of seconds or milliseconds since 1970 become RFC 3339.
func timeText(value rawjson.Value) string {
	if text, ok := rawjson.Text(value); ok {
		return text
	}
	if rawjson.Kind(value) != rawjson.Number {
		return ""
	}
	number, err := strconv.ParseFloat(string(value), 64)
	switch {
	case err != nil || number < secondsLeast:
		return ""
	case number < secondsMost:
		return time.Unix(int64(number), 0).UTC().Format(time.RFC3339)
	case number >= secondsLeast*1000 && number < millisecondsMost:
		return time.UnixMilli(int64(number)).UTC().Format(time.RFC3339)
	}
	return ""
}

// IsTitle reports whether sources give a title in a field of that name.
func IsTitle(name string) bool { return slices.Contains(titleNames, name) }
