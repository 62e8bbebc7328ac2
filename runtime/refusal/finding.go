package refusal

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/nearname"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
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

// review checks the names of a refused call against the schema.
type review struct {
	call
	schema schema
	code   string // of the resource server's refusal; empty if the adapter refused the call

	stream string              // the only stream of the call; empty: it names several or none
	rows   []*schemadoc.Stream // of the stream and the connection
	fields fields              // of the rows
	found  []finding
}

func (r *review) find() []finding {
	streams := r.names(tool.CompleteStream)
	for _, each := range streams {
		r.checkStream(each)
	}
	if len(streams) == 1 && len(r.found) == 0 {
		r.stream = streams[0].text
	}
	for _, each := range r.names(tool.CompleteConnection) {
		r.checkConnection(each)
	}
	if len(r.found) > 0 {
		return r.found
	}
	r.rows = r.schema.rows(r.stream, r.connectionID())
	r.fields = fieldsOf(r.rows)
	for _, each := range r.names(tool.CompleteField) {
		if r.stream != "" || r.code == "unknown_field" && r.fields.named(each.text) == nil {
			r.checkField(each)
		}
	}
	if r.stream == "" {
		return r.found
	}
	for _, each := range r.names(tool.CompleteRelation) {
		if accepted := relationsOf(r.rows); !slices.Contains(accepted, each.text) {
			r.add(each, nearname.Nearest(each.text, accepted), accepted,
				"Stream %s has no relation %s that can be expanded.", quoted(r.stream), quoted(each.text))
		}
	}
	switch {
	case r.code == "invalid_sort":
		for _, each := range r.names(tool.CompleteSort) {
			r.checkSort(each)
		}
	case r.code == "invalid_cursor" && len(r.found) == 0:
		r.found = append(r.found, r.changes(cmp.Or(cursorFieldOf(r.rows), onlyOf(r.fields.names(isTime)))))
	}
	return r.found
}

// add adds a finding about a name. The suggestion may be empty.
func (r *review) add(wrong name, suggestion string, accepted []string, form string, values ...any) {
	found := finding{param: wrong.argument.Name, text: fmt.Sprintf(form, values...), suggestion: suggestion}
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
	r.found = append(r.found, found)
}

// streamSynonyms maps other words for a stream to its name, in the singular.
var streamSynonyms = map[string]string{"mail": "message", "email": "message"}

func (r *review) checkStream(wanted name) {
	accepted := r.schema.names.Streams("")
	argument := wanted.argument.Name
	if wanted.argument.Complete == tool.CompleteRecord && r.schema.hasConnection(wanted.text) {
		r.found = append(r.found, finding{
			param: argument,
			text:  fmt.Sprintf("%s is a connection; in an id, a slash follows it.", quoted(wanted.text)),
			correct: func(arguments rawjson.Object) rawjson.Object {
				return arguments.With(argument, rawjson.Quote(strings.Replace(arguments.Text(argument), ":", "/", 1)))
			},
		})
		return
	}
	if slices.Contains(accepted, wanted.text) {
		return
	}
	suggestion := nearname.Nearest(wanted.text, accepted)
	if other := streamSynonyms[strings.TrimSuffix(strings.ToLower(wanted.text), "s")]; suggestion == "" && other != "" {
		suggestion = nearname.Nearest(other, accepted)
	}
	r.add(wanted, suggestion, accepted, "No stream %s is granted; accepted lists the streams.", quoted(wanted.text))
}

// checkConnection checks the id of a connection, and that it has the stream. A display name or the key of a connector is corrected if only
// one connection has it.
func (r *review) checkConnection(wanted name) {
	var ids, byLabel, byKey []string
	for _, row := range r.schema.names {
		for _, each := range row.Connections {
			if r.stream != "" && row.Name != r.stream {
				continue
			}
			ids = addName(ids, each.ID)
			if each.Label != "" && nearname.Nearest(wanted.text, []string{each.Label}) != "" {
				byLabel = addName(byLabel, each.ID)
			}
			if strings.EqualFold(wanted.text, row.Connector) {
				byKey = addName(byKey, each.ID)
			}
		}
	}
	id := quoted(wanted.text)
	switch nearest := nearname.Nearest(wanted.text, ids); {
	case len(ids) == 0 || slices.Contains(ids, wanted.text):
	case r.schema.hasConnection(wanted.text):
		r.add(wanted, onlyOf(ids), ids, "Connection %s has no stream %s; accepted lists the connections that have it.", id, quoted(r.stream))
	case len(byLabel) == 1:
		r.add(wanted, byLabel[0], ids, "%s is the name of a connection; its id is %s.", id, quoted(byLabel[0]))
	case len(byLabel) > 1:
		r.add(wanted, "", byLabel, "%s is the name of several connections; accepted lists their ids.", id)
	case nearest == "" && len(byKey) == 1:
		r.add(wanted, byKey[0], ids, "%s is a connector; the id of its only connection is %s.", id, quoted(byKey[0]))
	case nearest == "" && len(byKey) > 1:
		r.add(wanted, "", byKey, "%s is a connector with several connections; accepted lists their ids.", id)
	case r.stream != "":
		r.add(wanted, nearest, ids, "There is no connection %s; accepted lists the ids of the connections that have stream %s.", id, quoted(r.stream))
	default:
		r.add(wanted, nearest, ids, "There is no connection %s; accepted lists the ids of the connections.", id)
	}
}

// checkField checks that the stream has a field, that it is granted, and that it is declared for its use in the call.
func (r *review) checkField(wanted name) {
	argument, granted := wanted.argument, r.fields.names(isGranted)
	known := r.fields.named(wanted.text)
	stream, field, use := quoted(r.stream), quoted(wanted.text), r.use(argument)
	isDeclared := func(f schemadoc.Field) bool { return slices.Contains(f.Values("a"), use) }
	switch {
	case len(r.fields) == 0: // the schema lists no fields
	case wanted.text == "*" && argument.Type == tool.StringListArgument:
		without := func(arguments rawjson.Object) rawjson.Object { return arguments.With(argument.Name, nil) }
		r.found = append(r.found, finding{param: argument.Name, text: "Leave " + argument.Name + " out for all fields.", correct: without})
	case known == nil && r.stream == "":
		r.add(wanted, nearname.Nearest(wanted.text, granted), granted, "No stream has a field %s; accepted lists the fields of all streams.", field)
	case known == nil:
		suggestion := nearname.Nearest(wanted.text, granted)
		if argument.Type == tool.FilterArgument && len(wanted.text) > len(suggestion)+1 {
			suggestion = "" // the rest may be part of the condition, as in received_at_from
		}
		r.add(wanted, suggestion, granted, "%s", r.unknownField(wanted.text))
	case !isGranted(*known):
		text := fmt.Sprintf("Field %s exists and is not granted; accepted lists the granted fields.", field)
		if r.connect != nil {
			text += " The user can ask the owner for it, and this call then works: " +
				r.connect(tool.Uncovered{ConnectionID: r.connectionID(), Stream: r.stream, Field: wanted.text})
		}
		r.add(wanted, "", granted, "%s", text)
	case use == "" || isDeclared(*known):
	case !schemadoc.Advertised(r.fields):
		r.add(wanted, "", nil, "The schema does not tell this token which fields of stream %s are declared for %s; another may be.", stream, use)
	default:
		declared := r.fields.names(isDeclared)
		r.add(wanted, onlyOf(declared), declared,
			"Field %s of stream %s is not declared for %s; accepted lists the fields that are.", field, stream, use)
	}
}

// unknownField describes a field that the stream does not have, and the first streams that have it.
func (r *review) unknownField(field string) string {
	text := fmt.Sprintf("Stream %s has no field %s; accepted lists its fields.", quoted(r.stream), quoted(field))
	var others []string
	for _, row := range r.schema.rows("", "") {
		if fields(row.Fields()).named(field) != nil && len(others) < maxOtherStreams {
			others = addName(others, quoted(row.Name))
		}
	}
	if others == nil {
		return text
	}
	return text + " There is one in " + strings.Join(others, ", ") + "."
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

// sortForm is an order such as -date or date desc. Its groups are the minus, the field and the direction.
var sortForm = regexp.MustCompile(`(?i)^[ +]*(-?)[ +-]*(.*?)(?:[ :](asc|desc)(?:ending)?)?$`)

// checkSort adds the finding for an order that the server refused. Servers sort by the cursor field alone (rs-contract.md, GET
// /v1/streams/{s}/records). It also corrects the name of another field, because the adapter may sort by that field.
func (r *review) checkSort(wanted name) {
	parts := sortForm.FindStringSubmatch(wanted.text)
	sign, field := parts[1], parts[2]
	switch strings.ToLower(parts[3]) {
	case "asc":
		sign = ""
	case "desc":
		sign = "-"
	}
	granted, cursor := nearname.Order(field, r.fields.names(isGranted)), cursorFieldOf(r.rows)
	switch nearest := nearname.Nearest(field, granted); {
	case nearest != "" && r.fields.named(field) == nil:
		others := slices.DeleteFunc(granted, func(name string) bool { return name == nearest })
		r.add(wanted, sign+nearest, others, "%s", r.unknownField(field))
	case cursor == "":
		r.add(wanted, "", nil, "The schema names no field to sort by to this token. Without sort, the newest records come first; with order asc, the oldest.")
	default:
		suggestion := nearname.Nearest(field, []string{cursor})
		if suggestion != "" {
			suggestion = sign + suggestion
		}
		r.add(wanted, suggestion, []string{cursor, "-" + cursor},
			"The provider sorts stream %s by %s only, and not by %s.", quoted(r.stream), quoted(cursor), quoted(wanted.text))
	}
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
