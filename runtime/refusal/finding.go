package refusal

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/nearname"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Bounds of what an explanation lists.
const (
	maxAccepted     = 40
	maxOtherStreams = 3
	maxNameBytes    = 100 // of a name in a message; no schema has a longer one
)

// finding is one thing that is wrong with a call.
type finding struct {
	param      string
	text       string                              // a sentence
	accepted   []string                            // the nearest first
	suggestion string                              // the accepted name that was certainly intended, or empty
	correct    func(rawjson.Object) rawjson.Object // corrects the arguments; nil if no correction is certain
}

// newFinding returns a finding about a name. The suggestion may be empty.
func newFinding(wrong name, suggestion string, accepted []string, text string) finding {
	found := finding{param: wrong.argument.Name, text: text, suggestion: suggestion}
	if suggestion != "" {
		found.accepted = []string{suggestion}
		found.correct = func(arguments rawjson.Object) rawjson.Object {
			return arguments.With(found.param, wrong.replace(arguments.Get(found.param), suggestion))
		}
	}
	for _, each := range nearname.Order(wrong.text, accepted) {
		if len(each) <= maxNameBytes && len(found.accepted) < maxAccepted {
			found.accepted = addName(found.accepted, each)
		}
	}
	return found
}

// findings checks the names of the call against the schema. refused is the resource server's refusal, or nil if the adapter refused the
// call.
func (c call) findings(s schema, refused *rs.Error) []finding {
	streams := c.names(tool.CompleteStream)
	var found []finding
	for _, each := range streams {
		found = append(found, c.stream(s, each)...)
	}
	stream := ""
	if len(streams) == 1 && len(found) == 0 {
		stream = streams[0].text
	}
	for _, each := range c.names(tool.CompleteConnection) {
		found = append(found, connection(s, each, stream)...)
	}
	if len(found) > 0 {
		return found
	}
	fields := s.fields(stream, c.connectionID())
	if stream == "" {
		if refused != nil && refused.Code == "unknown_field" {
			found = c.unknownFields(fields)
		}
		return found
	}
	for _, each := range c.names(tool.CompleteField) {
		found = append(found, c.field(s, each, stream, fields)...)
	}
	for _, each := range c.names(tool.CompleteRelation) {
		if accepted := s.relations(stream, c.connectionID()); !slices.Contains(accepted, each.text) {
			found = append(found, newFinding(each, nearname.Nearest(each.text, accepted), accepted,
				fmt.Sprintf("Stream %s has no relation %s that can be expanded.", quoted(stream), quoted(each.text))))
		}
	}
	switch {
	case refused == nil:
	case refused.Code == "invalid_sort":
		for _, each := range c.names(tool.CompleteSort) {
			found = append(found, c.sort(s, each, stream, fields))
		}
	case refused.Code == "invalid_cursor" && len(found) == 0:
		found = append(found, c.changes(cmp.Or(s.cursorField(stream, c.connectionID()), onlyOf(fields.names(isTime)))))
	}
	return found
}

// unknownFields returns findings for the names of fields that no granted stream has.
func (c call) unknownFields(fields fields) []finding {
	var found []finding
	for _, each := range c.names(tool.CompleteField) {
		if accepted := fields.names(isGranted); len(fields) > 0 && fields.named(each.text) == nil {
			found = append(found, newFinding(each, nearname.Nearest(each.text, accepted), accepted,
				fmt.Sprintf("No stream has a field %s; accepted lists the fields of all streams.", quoted(each.text))))
		}
	}
	return found
}

// streamSynonyms maps other words for a stream to its name, in the singular.
var streamSynonyms = map[string]string{"mail": "message", "email": "message"}

// stream checks the name of a stream.
func (c call) stream(s schema, wanted name) []finding {
	accepted := s.names.Streams("")
	if wanted.argument.Complete == tool.CompleteRecord && s.hasConnection(wanted.text) {
		return []finding{colonForSlash(wanted)}
	}
	if slices.Contains(accepted, wanted.text) {
		return nil
	}
	suggestion := nearname.Nearest(wanted.text, accepted)
	if other := streamSynonyms[strings.TrimSuffix(strings.ToLower(wanted.text), "s")]; suggestion == "" && other != "" {
		suggestion = nearname.Nearest(other, accepted)
	}
	return []finding{newFinding(wanted, suggestion, accepted, fmt.Sprintf("No stream %s is granted; accepted lists the streams.", quoted(wanted.text)))}
}

// colonForSlash returns the finding for an id with a colon after the connection in place of a slash.
func colonForSlash(wrong name) finding {
	return finding{
		param: wrong.argument.Name,
		text:  fmt.Sprintf("%s is a connection; in an id, a slash follows it.", quoted(wrong.text)),
		correct: func(arguments rawjson.Object) rawjson.Object {
			id := rawjson.TextOf(arguments.Get(wrong.argument.Name))
			return arguments.With(wrong.argument.Name, rawjson.Quote(strings.Replace(id, ":", "/", 1)))
		},
	}
}

// connection checks the id of a connection, and that it has the stream. A display name or the key of a connector is corrected if only one
// connection has it.
func connection(s schema, wanted name, stream string) []finding {
	var ids, byLabel, byKey []string
	for _, each := range s.names.Connections(stream) {
		ids = append(ids, each.ID)
		if each.Label != "" && nearname.Nearest(wanted.text, []string{each.Label}) != "" {
			byLabel = append(byLabel, each.ID)
		}
	}
	for connector, row := range s.rows(stream, "") {
		if strings.EqualFold(wanted.text, connector.Key) {
			for _, each := range connector.ConnectionsOf(row) {
				byKey = addName(byKey, each.ID)
			}
		}
	}
	if len(ids) == 0 || slices.Contains(ids, wanted.text) {
		return nil
	}
	suggestion, accepted, text := nearname.Nearest(wanted.text, ids), ids, ""
	switch {
	case s.hasConnection(wanted.text):
		suggestion, text = onlyOf(ids), fmt.Sprintf("Connection %s has no stream %s; accepted lists the connections that have it.", quoted(wanted.text), quoted(stream))
	case len(byLabel) == 1:
		suggestion, text = byLabel[0], fmt.Sprintf("%s is the name of a connection; its id is %s.", quoted(wanted.text), quoted(byLabel[0]))
	case len(byLabel) > 1:
		suggestion, accepted, text = "", byLabel, fmt.Sprintf("%s is the name of several connections; accepted lists their ids.", quoted(wanted.text))
	case suggestion == "" && len(byKey) == 1:
		suggestion, text = byKey[0], fmt.Sprintf("%s is a connector; the id of its only connection is %s.", quoted(wanted.text), quoted(byKey[0]))
	case suggestion == "" && len(byKey) > 1:
		accepted, text = byKey, fmt.Sprintf("%s is a connector with several connections; accepted lists their ids.", quoted(wanted.text))
	default:
		text = fmt.Sprintf("There is no connection %s; accepted lists the ids of the connections", quoted(wanted.text))
		if stream != "" {
			text += " that have stream " + quoted(stream)
		}
		text += "."
	}
	return []finding{newFinding(wanted, suggestion, accepted, text)}
}

// field checks the name of a field: that the stream has it, that it is granted, and that it is declared for its use in the call.
func (c call) field(s schema, wanted name, stream string, fields fields) []finding {
	argument, granted := wanted.argument, fields.names(isGranted)
	known := fields.named(wanted.text)
	use := c.use(argument)
	switch {
	case len(fields) == 0: // the schema lists no fields
		return nil
	case wanted.text == "*" && argument.Type == tool.StringListArgument:
		without := func(arguments rawjson.Object) rawjson.Object { return arguments.With(argument.Name, nil) }
		return []finding{{param: argument.Name, text: "Leave " + argument.Name + " out for all fields.", correct: without}}
	case known == nil:
		suggestion := nearname.Nearest(wanted.text, granted)
		if argument.Type == tool.FilterArgument && len(wanted.text) > len(suggestion)+1 {
			suggestion = "" // the rest may be part of the condition, as in received_at_from
		}
		text := fmt.Sprintf("Stream %s has no field %s; accepted lists its fields.", quoted(stream), quoted(wanted.text))
		if others := s.streamsWith(wanted.text); len(others) > 0 {
			text += " There is one in " + strings.Join(others, ", ") + "."
		}
		return []finding{newFinding(wanted, suggestion, granted, text)}
	case !isGranted(*known):
		text := fmt.Sprintf("Field %s exists and is not granted; accepted lists the granted fields.", quoted(wanted.text))
		if c.connect != nil {
			text += " The user can ask the owner for it, and this call then works: " +
				c.connect(tool.Uncovered{ConnectionID: c.connectionID(), Stream: stream, Field: wanted.text})
		}
		return []finding{newFinding(wanted, "", granted, text)}
	case use == "" || slices.Contains(known.Values("a"), use):
		return nil
	case !schemadoc.Advertised(fields):
		return []finding{{param: argument.Name, text: fmt.Sprintf(
			"The schema does not tell this token which fields of stream %s are declared for %s; another may be.", quoted(stream), use)}}
	}
	declared := fields.names(func(f schemadoc.Field) bool { return slices.Contains(f.Values("a"), use) })
	return []finding{newFinding(wanted, onlyOf(declared), declared,
		fmt.Sprintf("Field %s of stream %s is not declared for %s; accepted lists the fields that are.", quoted(wanted.text), quoted(stream), use))}
}

// use returns what a field must be declared for, such as sum, or an empty string if it need not be declared.
func (c call) use(argument tool.Argument) string {
	if other := c.argument(argument.DeclaredFor); other != nil && other.Values != nil {
		return strings.ToLower(c.given.Text(other.Name))
	}
	return argument.DeclaredFor
}

// onlyOf returns the only name of a list, or an empty string if the list has any other length.
func onlyOf(names []string) string {
	if len(names) != 1 {
		return ""
	}
	return names[0]
}

// sort returns the finding for an order that the server refused. Servers sort by the cursor field alone (rs-contract.md, GET
// /v1/streams/{s}/records). It also corrects the name of another field, because the adapter may sort by that field.
func (c call) sort(s schema, wanted name, stream string, fields fields) finding {
	field, isDescending := wanted, strings.HasPrefix(wanted.text, "-")
	for _, ending := range []string{" desc", ":desc", " asc", ":asc", " descending", " ascending"} {
		if before, cut := strings.CutSuffix(strings.ToLower(field.text), ending); cut {
			field.text, isDescending = field.text[:len(before)], strings.Contains(ending, "desc")
		}
	}
	field.text = strings.Trim(field.text, "+- ")
	sign := ""
	if isDescending {
		sign = "-"
	}
	if found := c.field(s, field, stream, fields); len(found) > 0 && found[0].suggestion != "" {
		return newFinding(wanted, sign+found[0].suggestion, found[0].accepted[1:], found[0].text)
	}
	cursor := s.cursorField(stream, c.connectionID())
	if cursor == "" {
		return finding{
			param: wanted.argument.Name,
			text:  "The schema names no field to sort by to this token. Without sort, the newest records come first; with order asc, the oldest.",
		}
	}
	suggestion := nearname.Nearest(field.text, []string{cursor})
	if suggestion != "" {
		suggestion = sign + suggestion
	}
	return newFinding(wanted, suggestion, []string{cursor, "-" + cursor},
		fmt.Sprintf("The provider sorts stream %s by %s only, and not by %s.", quoted(stream), quoted(cursor), quoted(wanted.text)))
}

// changes returns the finding for an invalid position in a feed of changes. It turns a date into a filter.
func (c call) changes(timeField string) finding {
	given := rawjson.TextOf(c.given.Get(c.Changes))
	found := finding{
		param:    c.Changes,
		accepted: []string{"beginning", "now"},
		text:     fmt.Sprintf("%s takes beginning, now, or a next_changes_since of an earlier result.", c.Changes),
	}
	if _, err := time.Parse(time.DateOnly, given[:min(len(given), len(time.DateOnly))]); err != nil {
		return found
	}
	found.accepted = nil
	argument := c.find(func(a tool.Argument) bool { return a.Type == tool.FilterArgument })
	if argument == nil {
		return found
	}
	filter := argument.Name
	bound := rawjson.Object{rawjson.String("gte", given)}.Encode()
	if timeField == "" {
		found.text += fmt.Sprintf(" For records since a date, filter a time field: %s {\"<field>\":%s}.", filter, bound)
		return found
	}
	conditions, _ := rawjson.ParseObject(c.given.Get(filter))
	conditions = conditions.With(timeField, bound)
	found.text += fmt.Sprintf(" For records since a date, use %s %s.", filter, conditions.Encode())
	found.correct = func(arguments rawjson.Object) rawjson.Object {
		return arguments.With(c.Changes, nil).With(filter, conditions.Encode())
	}
	return found
}

func quoted(name string) string {
	if len(name) > maxNameBytes {
		name = strings.ToValidUTF8(name[:maxNameBytes], "") + "…"
	}
	return string(rawjson.Quote(name))
}
