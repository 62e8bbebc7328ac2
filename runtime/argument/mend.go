package argument

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// operators are how other systems spell a comparison, in lower case and without a leading $ or _. The empty one is equality.
var operators = map[string]string{
	"=": "", "==": "", "eq": "", "equals": "", "is": "",
	">=": "gte", "ge": "gte", "gte": "gte", "since": "gte", "from": "gte", "min": "gte", "start": "gte",
	">": "gt", "gt": "gt", "after": "gt",
	"<=": "lte", "le": "lte", "lte": "lte", "until": "lte", "to": "lte", "max": "lte", "end": "lte",
	"<": "lt", "lt": "lt", "before": "lt",
}

// negations are how other systems spell inequality, which only a boolean has an equal for.
var negations = []string{"ne", "not", "neq", "!=", "<>"}

func operatorOf(word string) (string, bool) {
	operator, known := operators[strings.TrimLeft(strings.ToLower(strings.TrimSpace(word)), "$_")]
	return operator, known
}

// mend writes a filter of another system as this one's: of MongoDB, SQL, OData, Django, query strings and others. It is nil
// when it cannot be sure of one. It may lack what makes it a filter.
func mend(value json.RawMessage) json.RawMessage {
	var mended conditions
	if !mended.add(value) || len(mended.fields) == 0 {
		return nil
	}
	return mended.fields.Encode()
}

// conditions are a filter in the making.
type conditions struct{ fields rawjson.Object }

// add adds what a value says, and reports whether it could be read.
func (c *conditions) add(value json.RawMessage) bool {
	if text, quoted := rawjson.Text(value); quoted {
		if compact, err := rawjson.Compact([]byte(text)); err == nil && rawjson.Kind(compact) != rawjson.StringValue {
			return c.add(compact)
		}
		return c.addExpression(text)
	}
	if list, isList := rawjson.Elements(value); isList {
		for _, each := range list {
			if !c.add(each) {
				return false
			}
		}
		return true
	}
	object, isObject := rawjson.ParseObject(value)
	if field, operator, operand := triple(object); operand != nil {
		return c.compare(field, operator, operand)
	}
	for _, member := range object {
		if !c.addMember(member) {
			return false
		}
	}
	return isObject
}

// triple is a condition in an object of its own: {"field":"at","op":"gte","value":1}.
func triple(object rawjson.Object) (field, operator string, value json.RawMessage) {
	operator = cmp.Or(object.FirstText("op", "operator", "comparator"), "eq")
	return object.FirstText("field", "name", "column", "key", "path"), operator, object.Get("value")
}

var (
	bracketed = regexp.MustCompile(`^(?:filter\[)?([^\[\]]+)\]?(?:\[\$?(\w+)\])?$`) // at[gte], filter[at][gte]
	suffixed  = regexp.MustCompile(`^(.+)(?:__|\.\$?)(gte?|lte?|eq)$`)              // at__gte, at.gte
)

func (c *conditions) addMember(member rawjson.Member) bool {
	switch strings.TrimLeft(strings.ToLower(member.Name), "$_") {
	case "and", "where", "filter", "filters", "must", "range", "term", "match":
		return c.add(member.Value)
	}
	field, operator := member.Name, "eq"
	if parts := bracketed.FindStringSubmatch(field); parts != nil && parts[1] != field {
		field, operator = parts[1], cmp.Or(parts[2], "eq")
	} else if parts := suffixed.FindStringSubmatch(field); parts != nil && member.Value[0] != '{' {
		field, operator = parts[1], parts[2]
	} else if parts != nil {
		field = parts[1]
	}
	bounds, isRange := rawjson.ParseObject(member.Value)
	if !isRange {
		return c.compare(field, operator, member.Value)
	}
	for _, bound := range bounds {
		if !c.compare(field, bound.Name, bound.Value) {
			return false
		}
	}
	return len(bounds) > 0
}

// compare adds one condition on a field. What the field has already is kept.
func (c *conditions) compare(field, operator string, operand json.RawMessage) bool {
	items, isList := rawjson.Elements(operand)
	name, known := operatorOf(operator)
	switch {
	case slices.Contains(negations, strings.TrimLeft(strings.ToLower(operator), "$_")):
		switch string(operand) {
		case "true":
			return c.compare(field, "eq", json.RawMessage("false"))
		case "false":
			return c.compare(field, "eq", json.RawMessage("true"))
		}
		return false
	case operator == "between" && len(items) == 2:
		return c.compare(field, "gte", items[0]) && c.compare(field, "lte", items[1])
	case (operator == "in" || operator == "$in" || known && name == "") && len(items) == 1:
		name, known, operand, isList = "", true, items[0], false
	}
	if !known || isList || field == "" {
		return false
	}
	if text := scalar(operand); name != "" && relativeDate(text) != "" {
		operand = rawjson.Quote(relativeDate(text))
	}
	before := c.fields.Get(field)
	bounds, isRange := rawjson.ParseObject(before)
	switch {
	case name == "" && before == nil:
		c.fields = append(c.fields, rawjson.Raw(field, operand))
	case name != "" && (before == nil || isRange) && bounds.Get(name) == nil:
		c.fields = c.fields.With(field, append(bounds, rawjson.Raw(name, operand)).Encode())
	default:
		return false
	}
	return true
}

var (
	conjunction = regexp.MustCompile(`(?i)\s+and\s+|\s*&&?\s*`)
	comparison  = regexp.MustCompile(`(?i)^\s*(?:where\s+)?(?:filter\[)?["\x60]?([\w.]+)["\x60]?\]?(?:\[\$?(\w+)\])?\s*(>=|<=|==|=|>|<|:|\s(?:ge|gte|gt|le|lte|lt|eq|is)\s)\s*(.+?)\s*$`)
)

// addExpression adds what a text of conditions says: at >= '2026-01-01' and seen = false; filter[at][gte]=2026-01-01.
func (c *conditions) addExpression(text string) bool {
	for _, each := range conjunction.Split(text, -1) {
		parts := comparison.FindStringSubmatch(each)
		if parts == nil {
			return false
		}
		operator := strings.TrimSpace(parts[3])
		if operator == ":" {
			operator = "="
		}
		if parts[2] != "" {
			operator = parts[2]
		}
		if !c.compare(parts[1], operator, literal(parts[4])) {
			return false
		}
	}
	return true
}

// literal is a value as an expression spells it: quoted, a number, a boolean, or a bare word.
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

// dateForms are spellings of a day that can be read in one way only. A month in digits stands behind its year.
var dateForms = []string{
	"2006/1/2", "2006.1.2", "2006-1-2", "2.1.2006", "January 2, 2006", "January 2 2006", "2 January 2006", "2. January 2006",
	"Jan 2, 2006", "Jan 2 2006", "2 Jan 2006", "2-Jan-2006",
}

// isoDate is a day in the form that servers read (RFC 3339, full-date), whichever unambiguous form it has; of a month, the first
// day, when the month is to begin there or end before it. Any other text stays as it is.
func isoDate(operator, text string) string {
	if month, err := time.Parse("2006-01", text); err == nil && (operator == "gte" || operator == "lt") {
		return month.Format(time.DateOnly)
	}
	for _, form := range dateForms {
		if day, err := time.Parse(form, strings.TrimSpace(text)); err == nil {
			return day.Format(time.DateOnly)
		}
	}
	if days := slashedDays(text); len(days) == 1 {
		return days[0]
	}
	return text
}

// slashedDays are the days that a text such as 3/4/2026 can mean: the day first, and the month first.
func slashedDays(text string) []string {
	var days []string
	for _, form := range []string{"2/1/2006", "1/2/2006"} {
		if day, err := time.Parse(form, strings.TrimSpace(text)); err == nil && !slices.Contains(days, day.Format(time.DateOnly)) {
			days = append(days, day.Format(time.DateOnly))
		}
	}
	return days
}

var (
	namedDays = map[string]int{"today": 0, "now": 0, "yesterday": -1, "tomorrow": 1} // from today
	units     = map[string]struct{ years, months, days int }{"day": {days: 1}, "week": {days: 7}, "month": {months: 1}, "year": {years: 1}}
)

var ago = regexp.MustCompile(`^(?:(?:last|past) (?:(\d+) )?|(\d+|a|one) )(day|week|month|year)s?(?: ago)?$`)

// relativeDate is the day in UTC of a text that names one by its distance from today, such as yesterday or 7 days ago. It
// is empty for any other text.
func relativeDate(text string) string {
	text = strings.ToLower(strings.TrimSpace(text))
	today := time.Now().UTC()
	if days, isNamed := namedDays[text]; isNamed {
		return today.AddDate(0, 0, days).Format(time.DateOnly)
	}
	parts := ago.FindStringSubmatch(text)
	if parts == nil {
		return ""
	}
	count, err := strconv.Atoi(parts[1] + parts[2])
	if err != nil { // one of them
		count = 1
	}
	unit := units[parts[3]]
	return today.AddDate(-count*unit.years, -count*unit.months, -count*unit.days).Format(time.DateOnly)
}
