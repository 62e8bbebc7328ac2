package render

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const titleCharacters = 160

// maxRoleText limits a title or another short value, in characters.
const maxRoleText = 4_000

// ownTitle returns the source's title, unless it repeats one of the shown texts.
func ownTitle(members, fields rawjson.Object, shown shownTexts) string {
	for _, from := range []rawjson.Object{members, fields} {
		for _, name := range tool.TitleRole.Fields {
			title := plain(tool.Clip(from.Text(name), maxRoleText))
			if title != "" && !shown.repeat(title) && !strings.HasPrefix(title, "pdpp://") {
				return tool.Clip(title, titleCharacters)
			}
		}
	}
	return ""
}

// madeTitle returns a title made of label, container or stream, author and time. It leaves out parts that repeat a
// shown text.
func madeTitle(id identity, label, container, author, time string, shown shownTexts) string {
	var parts []string
	for _, part := range []string{label, cmp.Or(container, id.stream), author, time} {
		if part = tool.Clip(plain(part), tool.LabelCharacters); part != "" && !shown.repeat(part) {
			parts = append(parts, part)
		}
	}
	return cmp.Or(strings.Join(parts, " / "), "Untitled")
}

// roleText returns the value of the first field with a role, as a text of one line: a text, a number, or the texts of a
// list.
func roleText(role tool.Role, objects ...rawjson.Object) string {
	for _, object := range objects {
		value := role.Field(object).Value
		if value == nil {
			continue
		}
		elements, isList := rawjson.Elements(value)
		if !isList {
			elements = []rawjson.Value{value}
		}
		joined := ""
		for _, element := range elements {
			text, isText := rawjson.Text(element)
			if !isText && rawjson.Kind(element) == rawjson.Number {
				text, isText = string(element), true
			}
			if !isText {
				continue
			}
			if text = plain(tool.Clip(text, maxRoleText)); joined != "" {
				text = joined + ", " + text
			}
			if joined = text; len(joined) > maxRoleText {
				break
			}
		}
		if joined != "" {
			return tool.Clip(joined, tool.LabelCharacters)
		}
	}
	return ""
}

// amountText returns an amount with its currency, such as 12.50 EUR, from the first object that has it.
func amountText(objects ...rawjson.Object) string {
	amount, currency := roleText(tool.AmountRole, objects...), roleText(tool.CurrencyRole, objects...)
	if amount == "" || currency == "" {
		return amount
	}
	return amount + " " + currency
}

// plain returns a text on one line, without highlight tags.
func plain(text string) string {
	if text = unmarked(exactMarks(text)); isOneLine(text) {
		return text
	}
	return strings.Join(strings.Fields(text), " ")
}

// isOneLine reports whether the only white space of a text is single spaces between words.
func isOneLine(text string) bool {
	last := ' '
	for _, r := range text {
		if unicode.IsSpace(r) && (r != ' ' || last == ' ') {
			return false
		}
		last = r
	}
	return text == "" || last != ' '
}

// normalized returns a text in lower case, without extra spaces and trailing dots.
func normalized(text string) string { return strings.Trim(strings.ToLower(plain(text)), ". …") }

// shownTexts are normalized texts that a result shows, without empty ones.
type shownTexts []string

func (s *shownTexts) add(text string) {
	if text = normalized(text); text != "" {
		*s = append(*s, text)
	}
}

// repeat reports whether a title is contained in one of the texts, or contains it.
func (s shownTexts) repeat(title string) bool {
	if len(s) == 0 {
		return false
	}
	title = normalized(title)
	return slices.ContainsFunc(s, func(text string) bool { return strings.Contains(text, title) || strings.Contains(title, text) })
}

// timeInTitle returns the time of a record. If it is empty, it returns "added" and the time of collection.
func timeInTitle(happened string, members rawjson.Object) string {
	if added := members.Text("emitted_at"); happened == "" && added != "" {
		return addedWord + added
	}
	return happened
}

// dayOf shortens a time in a title to its day. The hit has the time in another member.
func dayOf(text string) string {
	if i := strings.IndexByte(text, 'T'); i > 0 && strings.HasSuffix(text, "Z") {
		return text[:i]
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

// inUTC converts a time with an offset to UTC, so that times of several zones compare. It returns other texts
// unchanged.
func inUTC(text string) string {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || strings.HasSuffix(text, "Z") {
		return text
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// TimeText returns a time as a source wrote it. A Unix time in seconds or milliseconds becomes RFC 3339.
func TimeText(value rawjson.Value) string {
	if text, ok := rawjson.Text(value); ok {
		return text
	}
	if rawjson.Kind(value) == rawjson.Number {
		if instant, ok := scalar.UnixTime(string(value)); ok {
			return instant.Format(time.RFC3339)
		}
	}
	return ""
}

// documentTitle returns the source's title, otherwise one made of the label and the values with a role (R-FETCH-8). The
// event time is used if the record has no other.
func documentTitle(record *row, label, eventTime string) string {
	if own := ownTitle(nil, record.fields, nil); own != "" {
		return own
	}
	happened := cmp.Or(record.documentTime(), eventTime)
	container, author := roleText(tool.ContainerRole, record.fields), roleText(tool.AuthorRole, record.fields)
	return madeTitle(record.identity, label, container, author, timeInTitle(happened, record.members), nil)
}

// documentTime returns when the record happened. The wrapper's time is not a field of the source, so that a projection
// does not remove it (R-FETCH-3).
func (r *row) documentTime() string {
	return authoredTime(rawjson.Object{rawjson.Raw("authored_at", r.members.Get("authored_at"))}, r.fields)
}
