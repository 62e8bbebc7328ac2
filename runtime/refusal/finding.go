package refusal

import (
	"fmt"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // the names of zones must not depend on the machine

	"github.com/pdppmcp/pdpp-mcp/runtime/nearname"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Bounds of what a refusal lists.
const (
	namesShown    = 40
	elsewhereMost = 3
	nameBytes     = 100 // of a name that is repeated; a longer one is no name of any schema
)

// finding is one name of a call that the schema does not have there.
type finding struct {
	param    string
	says     string   // a sentence that names what was given
	accepted []string // the nearest first
	meant    string   // the one that was certainly meant, or empty
	mended   func(rawjson.Object) rawjson.Object
}

// at makes a finding about a place. The meant name may be empty.
func at(p place, meant string, accepted []string, says string) finding {
	found := finding{param: p.argument.Name, says: says, meant: meant, accepted: nearest(p.name, accepted)}
	if meant != "" {
		found.mended = p.mended(meant)
	}
	return found
}

// orUncovered is at with the name that was meant, and with a way to ask the owner where none was.
func (c call) orUncovered(p place, accepted []string, says string, wanted tool.Uncovered) finding {
	meant := nearname.Meant(p.name, accepted)
	if meant == "" {
		says += c.orAsk(wanted)
	}
	return at(p, meant, accepted, says)
}

func nearest(name string, names []string) []string {
	ordered := nearname.Order(name, slices.DeleteFunc(slices.Clone(names), func(n string) bool { return len(n) > nameBytes }))
	return ordered[:min(len(ordered), namesShown)]
}

// findings are the names of the call that the schema does not have there. The refusal is the RS's, or nil when it is the
// adapter's.
func (c call) findings(schema *schemadoc.Document, refused *rs.Error) []finding {
	s := survey{schema}
	streams := c.places(tool.CompleteStream)
	var found []finding
	for _, p := range streams {
		if all, _ := s.connections(""); p.argument.Complete == tool.CompleteNothing && schemadoc.HasConnection(all, p.name) {
			found = append(found, separated(p))
		} else if names := s.streams(); !slices.Contains(names, p.name) {
			says := fmt.Sprintf("No stream %s is granted; accepted lists the streams.", quoted(p.name))
			found = append(found, c.orUncovered(p, names, says, tool.Uncovered{ConnectionID: c.connectionID(), Stream: p.name}))
		}
	}
	stream := ""
	if len(streams) == 1 && len(found) == 0 {
		stream = streams[0].name
	}
	for _, p := range c.places(tool.CompleteConnection) {
		found = append(found, c.connection(s, p, stream)...)
	}
	if stream == "" || len(found) > 0 {
		return found
	}
	if given := rawjson.TextOf(c.given.Get(zoneParameter)); refused != nil && given != "" && !isZone(given) {
		return []finding{{param: zoneParameter, says: fmt.Sprintf("%s takes a name of the IANA time zones, such as Europe/Berlin; %s is none.", zoneParameter, quoted(given))}}
	}
	fields := s.fields(stream)
	for _, p := range c.places(tool.CompleteField) {
		found = append(found, c.field(s, p, stream, fields)...)
	}
	for _, p := range c.places(tool.CompleteRelation) {
		if names := s.relations(stream); !slices.Contains(names, p.name) {
			found = append(found, at(p, nearname.Meant(p.name, names), names, fmt.Sprintf("Stream %s has no relation %s that can be expanded.", quoted(stream), quoted(p.name))))
		}
	}
	if refused != nil && len(found) == 0 {
		found = append(found, c.grouping(fields)...)
	}
	if refused != nil && refused.Code == "invalid_sort" {
		for _, p := range c.places(tool.CompleteSort) {
			found = append(found, c.sort(s, p, stream, fields))
		}
	}
	return found
}

// zoneParameter is the time zone of groups, here as at the resource server.
const zoneParameter = "time_zone"

// isZone reports whether a time zone has that name; Local is the machine's and no name.
func isZone(name string) bool {
	_, err := time.LoadLocation(name)
	return err == nil && name != "Local"
}

// separated is an id with a colon where a slash ends the connection.
func separated(p place) finding {
	return finding{
		param: p.argument.Name,
		says:  fmt.Sprintf("%s is a connection; a slash ends it in an id.", quoted(p.name)),
		mended: func(arguments rawjson.Object) rawjson.Object {
			id := rawjson.TextOf(arguments.Get(p.argument.Name))
			return arguments.With(p.argument.Name, rawjson.Quote(strings.Replace(id, ":", "/", 1)))
		},
	}
}

func quoted(name string) string {
	if len(name) > nameBytes {
		name = strings.ToValidUTF8(name[:nameBytes], "") + "…"
	}
	return string(rawjson.Quote(name))
}

// field judges a name of a field: whether the stream has it, whether it is granted, and whether it supports what the call
// wants of it.
func (c call) field(s survey, p place, stream string, fields []schemadoc.Field) []finding {
	var names []string
	for _, f := range fields {
		names = append(names, f.Name)
	}
	i := slices.Index(names, p.name)
	switch {
	case len(names) == 0: // nothing is known of them
		return nil
	case p.name == "*" && p.argument.Type == tool.StringListArgument:
		return []finding{{param: p.argument.Name, says: "Leave " + p.argument.Name + " out for all fields.", mended: p.without}}
	case i < 0:
		meant := nearname.Meant(p.name, names)
		if p.argument.Type == tool.FilterArgument && len(p.name) > len(meant)+1 {
			meant = "" // what is more may be part of the condition, as in received_at_from
		}
		says := fmt.Sprintf("Stream %s has no field %s; accepted lists its fields.", quoted(stream), quoted(p.name))
		if others := s.streamsWith(p.name); len(others) > 0 {
			says += " There is one in " + strings.Join(others, ", ") + "."
		}
		return []finding{at(p, meant, names, says)}
	case fields[i].Has("g=false"):
		return []finding{{param: p.argument.Name, says: fmt.Sprintf(
			"Field %s exists and is not granted. Leave it out, or tell the user that the owner must approve a grant with it.%s",
			quoted(p.name), c.orAsk(tool.Uncovered{ConnectionID: c.connectionID(), Stream: stream, Field: p.name}))}}
	}
	use := c.useOf(p.argument)
	switch {
	case use == "" || slices.Contains(fields[i].Values("a"), use):
		return nil
	case !schemadoc.Advertised(fields):
		return []finding{{param: p.argument.Name, says: fmt.Sprintf(
			"The schema does not tell this token which fields of stream %s are declared for %s; another may be.", quoted(stream), use)}}
	}
	able := fieldsFor(use, fields)
	return []finding{at(p, onlyOf(able), able, fmt.Sprintf("Field %s of stream %s is not declared for %s; accepted lists those that are.", quoted(p.name), quoted(stream), use))}
}

// onlyOf is the only one of the names; empty when there are others.
func onlyOf(names []string) string {
	if len(names) != 1 {
		return ""
	}
	return names[0]
}

func fieldsFor(use string, fields []schemadoc.Field) []string {
	var able []string
	for _, f := range fields {
		if slices.Contains(f.Values("a"), use) {
			able = append(able, f.Name)
		}
	}
	return able
}

// uses are what a field can be declared for in an aggregate (rs-contract.md, Schema: the values of a=).
var uses = []string{"sum", "min", "max", "count_distinct", "group_by", groupedByTime}

const groupedByTime = "group_by_time"

// useOf is what the call wants of a field: the argument itself says it, or another one with its value. Empty: nothing but
// its value.
func (c call) useOf(argument tool.Argument) string {
	if slices.Contains(uses, argument.Name) {
		return argument.Name
	}
	for _, other := range c.Arguments {
		if word := strings.ToLower(rawjson.TextOf(c.given.Get(other.Name))); slices.Contains(uses, word) && slices.Contains(other.Values, word) {
			return word
		}
	}
	return ""
}

// grouping finds the argument that an aggregate lacks, or has too many (rs-contract.md, GET /v1/streams/{s}/aggregate).
func (c call) grouping(fields []schemadoc.Field) []finding {
	metric, isGrouped := "", false
	var measured, missing []tool.Argument
	for _, argument := range c.Arguments {
		value := c.given.Get(argument.Name)
		isUse := slices.Contains(uses, argument.Name)
		switch {
		case slices.Contains(argument.Values, uses[0]):
			metric = strings.ToLower(rawjson.TextOf(value))
		case argument.Complete == tool.CompleteField && argument.Type == tool.StringArgument && !isUse:
			measured = append(measured, argument)
		case isUse && value != nil:
			isGrouped = isGrouped || argument.Name == groupedByTime
		case slices.Contains(argument.Values, "month") && value == nil && isGrouped:
			missing = append(missing, argument)
		}
	}
	switch {
	case metric == "" || len(measured) != 1:
	case len(missing) > 0:
		return []finding{{param: missing[0].Name, accepted: missing[0].Values, says: fmt.Sprintf("Groups by time need %s.", missing[0].Name)}}
	case !slices.Contains(uses, metric) && c.given.Get(measured[0].Name) != nil:
		p := place{argument: measured[0]}
		return []finding{{param: measured[0].Name, says: fmt.Sprintf("Metric %s takes no %s.", metric, measured[0].Name), mended: p.without}}
	case slices.Contains(uses, metric) && c.given.Get(measured[0].Name) == nil:
		return []finding{{param: measured[0].Name, accepted: fieldsFor(metric, fields), says: fmt.Sprintf("Metric %s needs %s; accepted lists those that are declared for it.", metric, measured[0].Name)}}
	}
	return nil
}

// sort finds the order that was meant. Servers sort by the cursor field alone (rs-contract.md, GET /v1/streams/{s}/records); what is
// nearly another field, by which the adapter may sort, is that one.
func (c call) sort(s survey, p place, stream string, fields []schemadoc.Field) finding {
	name, isDescending := p.name, strings.HasPrefix(p.name, "-")
	for _, ending := range []string{" desc", ":desc", " asc", ":asc", " descending", " ascending"} {
		if before, cut := strings.CutSuffix(strings.ToLower(name), ending); cut {
			name, isDescending = name[:len(before)], strings.Contains(ending, "desc")
		}
	}
	name = strings.Trim(name, "+- ")
	field := p
	field.name = name
	if found := c.field(s, field, stream, fields); len(found) > 0 && found[0].meant != "" {
		if isDescending {
			found[0].meant = "-" + found[0].meant
		}
		found[0].mended = p.mended(found[0].meant)
		return found[0]
	}
	cursor := s.cursorField(stream)
	if cursor == "" {
		return finding{
			param:  p.argument.Name,
			says:   "The schema names no field to sort by to this token. Records come newest first without it; order asc gives the oldest first.",
			mended: c.inOrder(p, isDescending),
		}
	}
	accepted := []string{cursor, "-" + cursor}
	meant := nearname.Meant(name, accepted[:1])
	if meant != "" && isDescending {
		meant = accepted[1]
	}
	return at(p, meant, accepted, fmt.Sprintf("Stream %s is sorted by %s only, and not by %s.", quoted(stream), quoted(cursor), quoted(p.name)))
}

// inOrder puts the argument that says a direction in the place of the one that says a field.
func (c call) inOrder(p place, isDescending bool) func(rawjson.Object) rawjson.Object {
	words := []string{"asc", "desc"}
	word := words[0]
	if isDescending {
		word = words[1]
	}
	i := slices.IndexFunc(c.Arguments, func(a tool.Argument) bool { return slices.Equal(a.Values, words) })
	return func(arguments rawjson.Object) rawjson.Object {
		arguments = p.without(arguments)
		if i < 0 || arguments.Get(c.Arguments[i].Name) != nil {
			return arguments
		}
		return append(arguments, rawjson.String(c.Arguments[i].Name, word))
	}
}
