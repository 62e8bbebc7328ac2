package refusal

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/nearname"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// streamSynonyms maps other words for a stream to its name, in the singular.
var streamSynonyms = map[string]string{"mail": "message", "email": "message"}

func (r *review) checkStream(wanted name) {
	accepted := r.names.Streams("")
	argument := wanted.argument.Name
	if wanted.argument.Complete == tool.CompleteRecord && schemadoc.HasConnection(r.names.Connections(""), wanted.text) {
		r.found = append(r.found, finding{
			param: argument,
			text:  fmt.Sprintf("%s is a connection; in an id, a slash follows it.", quoted(wanted.text)),
			correct: func(arguments rawjson.Object) rawjson.Object {
				return arguments.With(argument, rawjson.Quote(strings.Replace(arguments.Text(argument), ":", "/", 1)))
			},
		})
		return
	}
	if slices.Contains(accepted, wanted.text) || r.isForEveryStream(wanted) {
		return
	}
	suggestion := nearname.Nearest(wanted.text, accepted)
	if other := streamSynonyms[strings.TrimSuffix(strings.ToLower(wanted.text), "s")]; suggestion == "" && other != "" {
		suggestion = nearname.Nearest(other, accepted)
	}
	reason := "No stream %s is granted; accepted lists the streams."
	if len(accepted) == 0 {
		reason = "No stream %s is granted, and no other stream is."
	}
	r.add(wanted, suggestion, accepted, reason, quoted(wanted.text))
}

// checkConnection checks the id of a connection, and that it has the stream. A display name or the key of a connector
// is corrected if only one connection has it.
func (r *review) checkConnection(wanted name) {
	var ids, byLabel, byKey []string
	for _, row := range r.names {
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
	case schemadoc.HasConnection(r.names.Connections(""), wanted.text):
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

// checkField checks that the stream has a field, that it is granted, and that it is declared for its use in the call,
// unless the adapter does not need the declaration.
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
	case known == nil:
		suggestion := nearname.Nearest(wanted.text, granted)
		if argument.Type == tool.FilterArgument && len(wanted.text) > len(suggestion)+1 {
			suggestion = "" // the rest may be part of the condition, as in received_at_from
		}
		r.add(wanted, suggestion, granted, "%s", r.unknownField(wanted.text))
	case !isGranted(*known):
		text := fmt.Sprintf("Field %s is not granted; accepted lists the granted fields.", field)
		if r.connect != nil {
			text += " The user can ask the owner for it, and this call then works: " +
				r.connect(tool.Uncovered{ConnectionID: r.connectionID(), Stream: r.stream, Field: wanted.text})
		}
		r.add(wanted, "", granted, "%s", text)
	case use == "" || isDeclared(*known) || r.tallies:
	case !schemadoc.Advertised(r.fields):
		r.add(wanted, "", nil, "The schema does not tell this token which fields of stream %s are declared for %s; another may be.", stream, use)
	default:
		declared := r.fields.names(isDeclared)
		r.add(wanted, onlyOf(declared), declared,
			"Field %s of stream %s is not declared for %s; accepted lists the fields that are.", field, stream, use)
	}
}

// unknownField describes a field that the stream or every stream lacks, and names the first other streams that have it.
// A schema may list granted fields only, so another field does not exist only if the server says so (R-CLAIM-2).
func (r *review) unknownField(field string) string {
	if r.stream == "" {
		return fmt.Sprintf("No stream has a field %s; accepted lists the fields of all streams.", quoted(field))
	}
	text := fmt.Sprintf("Stream %s has no granted field %s; accepted lists those that it has.", quoted(r.stream), quoted(field))
	switch {
	case r.isRefusedAs(fieldNotGranted):
		text = fmt.Sprintf("Field %s is not granted; accepted lists the granted fields.", quoted(field))
	case r.isRefusedAs("unknown_field"):
		text = fmt.Sprintf("Stream %s has no field %s; accepted lists its fields.", quoted(r.stream), quoted(field))
	}
	var others []string
	for _, row := range r.document.Rows() {
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
var sortForm = regexp.MustCompile(`(?is)^[ +]*(-?)[ +-]*(.*?)(?:[ :](asc|desc)(?:ending)?)?$`)

// checkSort adds the finding for an order that the server refused. Servers sort by the cursor field alone
// (docs/provider-contract.md, Records). It also corrects the name of another field, because the adapter may sort by
// that field.
func (r *review) checkSort(wanted name) {
	parts := sortForm.FindStringSubmatch(wanted.text)
	sign, field := parts[1], parts[2]
	switch strings.ToLower(parts[3]) {
	case "asc":
		sign = ""
	case "desc":
		sign = "-"
	}
	granted, cursor := nearname.Order(field, r.fields.names(isGranted)), r.cursor
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

// checkChanges adds the finding for an invalid position in a feed of changes. It turns a date into a filter.
func (r *review) checkChanges() {
	given := r.given.Text(r.Changes)
	_, notDate := time.Parse(time.DateOnly, given[:min(len(given), len(time.DateOnly))])
	timeField := cmp.Or(r.cursor, onlyOf(r.fields.names(isTime)))
	filter := r.find(func(a tool.Argument) bool { return a.Type == tool.FilterArgument })
	found := finding{param: r.Changes, text: r.Changes + " takes beginning, now, or a next_changes_since of an earlier result."}
	switch bound := (rawjson.Object{rawjson.String("gte", given)}).Encode(); {
	case notDate != nil:
		found.accepted = []string{"beginning", "now"}
	case filter == nil:
	case timeField == "":
		found.text += fmt.Sprintf(" For records since a date, filter a time field: %s {\"<field>\":%s}.", filter.Name, bound)
	default:
		conditions, _ := rawjson.ParseObject(r.given.Get(filter.Name))
		value := conditions.With(timeField, bound).Encode()
		found.text += fmt.Sprintf(" For records since a date, use %s %s.", filter.Name, value)
		found.correct = func(arguments rawjson.Object) rawjson.Object {
			return arguments.With(r.Changes, nil).With(filter.Name, value)
		}
	}
	r.found = append(r.found, found)
}

func quoted(name string) string {
	if len(name) > maxNameBytes {
		name = strings.ToValidUTF8(name[:maxNameBytes], "") + "…"
	}
	return string(rawjson.Quote(name))
}
