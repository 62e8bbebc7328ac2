package render

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const titleCharacters = 160

// ownTitle returns the source's title, unless it repeats one of the shown texts.
func ownTitle(members, fields rawjson.Object, shown []string) string {
	for _, from := range []rawjson.Object{members, fields} {
		for _, name := range tool.TitleRole.Fields {
			if title := plain(from.Text(name)); title != "" && !repeats(title, shown) && !strings.HasPrefix(title, "pdpp://") {
				return tool.Clip(title, titleCharacters)
			}
		}
	}
	return ""
}

// madeTitle returns a title made of label, container or stream, author and time. It leaves out parts that repeat a shown text.
func madeTitle(id identity, label, container, author, time string, shown []string) string {
	var parts []string
	for _, part := range []string{label, cmp.Or(container, id.stream), author, time} {
		if part = tool.Clip(plain(part), tool.LabelCharacters); part != "" && !repeats(part, shown) {
			parts = append(parts, part)
		}
	}
	return cmp.Or(strings.Join(parts, " / "), "Untitled")
}

// roleText returns the value of the first field with a role, as a text of one line: a text, a number, or the texts of a list.
func roleText(role tool.Role, objects ...rawjson.Object) string {
	for _, object := range objects {
		value := role.Field(object).Value
		elements, isList := rawjson.Elements(value)
		if !isList {
			elements = []rawjson.Value{value}
		}
		var texts []string
		for _, element := range elements {
			switch text, isText := rawjson.Text(element); {
			case isText:
				texts = append(texts, plain(text))
			case rawjson.Kind(element) == rawjson.Number:
				texts = append(texts, string(element))
			}
		}
		if len(texts) > 0 {
			return tool.Clip(strings.Join(texts, ", "), tool.LabelCharacters)
		}
	}
	return ""
}

// plain returns a text on one line, without highlight tags.
func plain(text string) string {
	return strings.Join(strings.Fields(unmarked(markTags.ReplaceAllString(text, ""))), " ")
}

// normalized returns a text in lower case, without extra spaces and trailing dots.
func normalized(text string) string { return strings.Trim(strings.ToLower(plain(text)), ". …") }

// repeats reports whether a title is contained in one of the shown texts, or contains it.
func repeats(title string, shown []string) bool {
	title = normalized(title)
	return slices.ContainsFunc(shown, func(text string) bool {
		text = normalized(text)
		return text != "" && (strings.Contains(text, title) || strings.Contains(title, text))
	})
}

// timeInTitle returns the time of a record. If it is empty, it returns "added" and the time of collection.
func timeInTitle(happened string, members rawjson.Object) string {
	if added := members.Text("emitted_at"); happened == "" && added != "" {
		return "added " + added
	}
	return happened
}

// dayOf shortens a time in a title to its day. The hit has the time in another member.
func dayOf(text string) string {
	if at := strings.IndexByte(text, 'T'); at > 0 && strings.HasSuffix(text, "Z") {
		return text[:at]
	}
	return text
}

func authoredTime(members, fields rawjson.Object) string {
	for _, from := range []rawjson.Object{fields, members} {
		for _, name := range tool.TimeRole.Fields {
			if authored := TimeText(from.Get(name)); authored != "" {
				return authored
			}
		}
	}
	return ""
}

// inUTC converts a time with an offset to UTC, so that times of several zones compare. It returns other texts unchanged.
func inUTC(text string) string {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil || strings.HasSuffix(text, "Z") {
		return text
	}
	return at.UTC().Format(time.RFC3339Nano)
}

// Unix times in seconds and in milliseconds that can be times of records: from 1973 to 2286.
const (
	minSeconds, maxSeconds = 1e8, 1e10
	maxMilliseconds        = 1e13
)

// TimeText returns a time as a source wrote it. A Unix time in seconds or milliseconds becomes RFC 3339.
func TimeText(value rawjson.Value) string {
	if text, ok := rawjson.Text(value); ok {
		return text
	}
	number, err := strconv.ParseFloat(string(value), 64)
	switch {
	case rawjson.Kind(value) != rawjson.Number || err != nil || number < minSeconds:
		return ""
	case number < maxSeconds:
		return time.Unix(int64(number), 0).UTC().Format(time.RFC3339)
	case number >= minSeconds*1000 && number < maxMilliseconds:
		return time.UnixMilli(int64(number)).UTC().Format(time.RFC3339)
	}
	return ""
}

// documentTitle returns the source's title, otherwise one made of the label and the values with a role (R-FETCH-8). The event time is used if
// the record has no other.
func documentTitle(record *row, label, eventTime string) string {
	if own := ownTitle(nil, record.fields, nil); own != "" {
		return own
	}
	happened := cmp.Or(record.documentTime(), eventTime)
	container, author := roleText(tool.ContainerRole, record.fields), roleText(tool.AuthorRole, record.fields)
	return madeTitle(record.identity, label, container, author, timeInTitle(happened, record.members), nil)
}

// documentTime returns when the record happened. The wrapper's time is not a field of the source, so that a projection does not remove it
// (R-FETCH-3).
func (r *row) documentTime() string {
	return authoredTime(rawjson.Object{rawjson.Raw("authored_at", r.members.Get("authored_at"))}, r.fields)
}
