package argument

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// operators maps the comparisons of other systems to ours, in lower case and without a leading $ or _. An empty string means equality.
var operators = map[string]string{
	"=": "", "==": "", ":": "", "eq": "", "equals": "", "is": "", "in": "",
	">=": "gte", "ge": "gte", "gte": "gte", "since": "gte", "from": "gte", "min": "gte",
	">": "gt", "gt": "gt", "after": "gt",
	"<=": "lte", "le": "lte", "lte": "lte", "until": "lte", "to": "lte", "max": "lte",
	"<": "lt", "lt": "lt", "before": "lt",
}

func bareOperator(word string) string {
	return strings.TrimLeft(strings.ToLower(strings.TrimSpace(word)), "$_")
}

// translation is a typed filter that means the same as a filter of another system, or as one with relative dates.
type translation struct {
	clock   tool.Clock
	asTimes bool // a relative date becomes a time; otherwise whole days become dates

	fields rawjson.Object
	inDays bool // every relative date is a period of whole days
}

// translate translates an expression, a query string, JSON in a string, a list of conditions, or other operators. The translation has no
// fields unless the meaning is certain. It may still be invalid.
func translate(value json.RawMessage, clock tool.Clock, asTimes bool) translation {
	filter := translation{clock: clock, asTimes: asTimes, inDays: true}
	if !filter.add(value) {
		filter.fields = nil
	}
	return filter
}

// corrections returns the correction of the argument, or nil if the meaning is not certain.
func (t *translation) corrections(name string) []rawjson.Object {
	if t.fields == nil {
		return nil
	}
	return []rawjson.Object{{rawjson.Raw(name, t.fields.Encode())}}
}

// add adds the conditions of a value, and reports whether it understood all of them.
func (t *translation) add(value json.RawMessage) bool {
	if text, quoted := rawjson.Text(value); quoted {
		if compact, err := rawjson.Compact([]byte(text)); err == nil && rawjson.Kind(compact) != rawjson.StringValue {
			return t.add(compact)
		}
		return t.addExpression(text)
	}
	if list, isList := rawjson.Elements(value); isList {
		return !slices.ContainsFunc(list, func(each json.RawMessage) bool { return !t.add(each) })
	}
	object, isObject := rawjson.ParseObject(value)
	if field, operand := object.Text("field"), object.Get("value"); field != "" && operand != nil { // {"field":"at","op":"gte","value":1}
		return t.compare(field, cmp.Or(object.FirstText("op", "operator"), "eq"), operand)
	}
	return isObject && !slices.ContainsFunc(object, func(member rawjson.Member) bool { return !t.addMember(member) })
}

func (t *translation) addMember(member rawjson.Member) bool {
	if slices.Contains([]string{"and", "where"}, bareOperator(member.Name)) {
		return t.add(member.Value)
	}
	field, operator := splitKey(member.Name)
	bounds, isRange := rawjson.ParseObject(member.Value)
	if !isRange {
		return t.compare(field, cmp.Or(operator, "eq"), member.Value)
	}
	return !slices.ContainsFunc(bounds, func(bound rawjson.Member) bool { return !t.compare(field, bound.Name, bound.Value) })
}

var keyForm = regexp.MustCompile(`^(?:filter\[)?([^\[\]]+?)\]?(?:(?:\[\$?|__|\.\$?)(gte?|lte?|eq)\]?)?$`)

// splitKey splits a key such as at[gte], filter[at][gte], at__gte or at.gte into field and operator. The operator is empty if the key has
// none.
func splitKey(key string) (field, operator string) {
	parts := keyForm.FindStringSubmatch(key)
	if parts == nil {
		return key, ""
	}
	return parts[1], parts[2]
}

// compare adds one condition. It returns false for an unknown operator or operand, and for a condition that conflicts with an earlier one
// on the field.
func (t *translation) compare(field, operator string, operand json.RawMessage) bool {
	name, known := operators[bareOperator(operator)]
	items, isList := rawjson.Elements(operand)
	switch {
	case isList && len(items) == 1 && name == "":
		operand, isList = items[0], false
	case bareOperator(operator) == "between" && len(items) == 2:
		return t.compare(field, "gte", items[0]) && t.compare(field, "lte", items[1])
	}
	if !known || isList || field == "" {
		return false
	}
	if relative, isRelative := relativePeriod(plainText(operand), t.clock); name != "" && isRelative {
		var absolute string
		t.inDays = t.inDays && relative.isDays()
		name, absolute = relative.bound(name, relative.isDays() && !t.asTimes)
		operand = rawjson.Quote(absolute)
	}
	earlier := t.fields.Get(field)
	bounds, isRange := rawjson.ParseObject(earlier)
	switch {
	case name == "" && earlier == nil:
		t.fields = append(t.fields, rawjson.Raw(field, operand))
	case name != "" && (earlier == nil || isRange) && bounds.Get(name) == nil:
		t.fields = t.fields.With(field, append(bounds, rawjson.Raw(name, operand)).Encode())
	default:
		return false
	}
	return true
}

var (
	conjunction = regexp.MustCompile(`(?i)\s+and\s+|&`)
	comparison  = regexp.MustCompile(`(?i)^\s*([\w.\[\]$]+)\s*(>=|<=|==|=|>|<|:|\s(?:ge|gte|gt|le|lte|lt|eq|is)\s)\s*(.+?)\s*$`)
)

// addExpression adds the conditions of a text such as at >= '2026-01-01' and seen = false, or filter[at][gte]=2026-01-01.
func (t *translation) addExpression(text string) bool {
	for _, each := range conjunction.Split(text, -1) {
		parts := comparison.FindStringSubmatch(each)
		if parts == nil {
			return false
		}
		field, operator := splitKey(parts[1])
		if !t.compare(field, cmp.Or(operator, parts[2]), literal(parts[3])) {
			return false
		}
	}
	return true
}

// literal returns a value of an expression as JSON: quoted, a number, a boolean, or a bare word.
func literal(text string) json.RawMessage {
	if len(text) > 1 && strings.ContainsRune(`'"`, rune(text[0])) && text[len(text)-1] == text[0] {
		return rawjson.Quote(text[1 : len(text)-1])
	}
	if lower := strings.ToLower(text); lower == "true" || lower == "false" {
		return json.RawMessage(lower)
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return rawjson.Quote(text)
}
