package argument

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/nearname"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// A value whose meaning is certain is read in another form too: "5" for 5, "true" for true, ["a"] for "a", "a,b" for ["a","b"], and the JSON text of a list or an object for itself. Given has it in the advertised form.

// String gives an optional string, or nil when it is absent. The empty string is a value.
func (a *Arguments) String(name string, checks ...Check) *string {
	return optional(a, name, func(value json.RawMessage) (string, error) { return a.text(name, value, checks) })
}

// RequiredString gives a string under the rules of String. One that is absent is refused with invalid_arguments; the
// empty string is there, unless a check refuses it.
func (a *Arguments) RequiredString(name string, checks ...Check) string {
	a.require(name, "a string")
	return orZero(a.String(name, checks...))
}

// Word gives an optional string that is one of a few words, in whatever case it was given, or nil when it is absent.
func (a *Arguments) Word(name string, words ...string) *string {
	return optional(a, name, func(value json.RawMessage) (string, error) {
		text := scalar(asText(value))
		for _, word := range words {
			if strings.EqualFold(word, strings.TrimSpace(text)) {
				a.settle(name, rawjson.Quote(word))
				return word, nil
			}
		}
		refused := refuse(tool.InvalidArguments, name, fmt.Sprintf("must be one of %s; got %s", strings.Join(words, ", "), quote(text)))
		refused.Accepted = words
		if meant := nearname.Meant(text, words); meant != "" {
			refused.DidYouMean, refused.Instead = meant, []rawjson.Object{{rawjson.String(name, meant)}}
		}
		return "", refused
	})
}

// RequiredWord gives a word under the rules of Word. One that is absent is refused with invalid_arguments.
func (a *Arguments) RequiredWord(name string, words ...string) string {
	a.require(name, "one of "+strings.Join(words, ", "), words...)
	return orZero(a.Word(name, words...))
}

// Boolean gives an optional true or false, or nil when it is absent.
func (a *Arguments) Boolean(name string) *bool {
	return optional(a, name, func(value json.RawMessage) (bool, error) {
		text := scalar(value)
		given, err := strconv.ParseBool(strings.ToLower(text))
		if err != nil || len(text) < len("true") {
			return false, refuse(tool.InvalidArguments, name, "must be true or false; got "+shown(value))
		}
		a.settle(name, strconv.AppendBool(nil, given))
		return given, nil
	})
}

// Integer gives an optional integer from minimum to maximum, both included, or nil when it is absent.
// math.MinInt64 and math.MaxInt64 mean no bound. 5.0 is the integer 5, as JSON Schema has it. Out of
// range is refused and never clamped (R-ARG-5).
func (a *Arguments) Integer(name string, minimum, maximum int64) *int64 {
	return optional(a, name, func(value json.RawMessage) (int64, error) {
		number, ok := asInteger(value)
		if ok && number >= minimum && number <= maximum {
			if value[0] == '"' {
				a.settle(name, strconv.AppendInt(nil, number, 10))
			}
			return number, nil
		}
		refused := refuse(tool.InvalidArguments, name, "must be "+integerRange(minimum, maximum)+"; got "+shown(value))
		if ok {
			refused.Instead = []rawjson.Object{{rawjson.Int(name, min(max(number, minimum), maximum))}}
		}
		return 0, refused
	})
}

// RequiredInteger gives an integer under the rules of Integer. One that is absent is refused with invalid_arguments.
func (a *Arguments) RequiredInteger(name string, minimum, maximum int64) int64 {
	a.require(name, integerRange(minimum, maximum))
	return orZero(a.Integer(name, minimum, maximum))
}

// StringList gives a list of strings, or nil when it is absent or empty: an empty list names nothing.
// The checks are applied to each item.
func (a *Arguments) StringList(name string, itemChecks ...Check) []string {
	list := optional(a, name, func(value json.RawMessage) ([]string, error) {
		items, ok := asList(value)
		if !ok {
			return nil, refuse(tool.InvalidArguments, name, `must be a list of strings such as ["id","subject"]; got `+shown(value))
		}
		var texts []string
		for _, item := range items {
			if item[0] != '"' {
				return nil, refuse(tool.InvalidArguments, name, "must hold only strings; got "+shown(item))
			}
			text, err := a.text(name, item, itemChecks)
			if err != nil {
				return nil, splitting(err, name, items)
			}
			texts = append(texts, text)
		}
		if value[0] != '[' {
			a.settle(name, rawjson.Array(items))
		}
		return texts, nil
	})
	return orZero(list)
}

// splitting adds to a refusal the list with its items split where they hold commas.
func splitting(err error, name string, items []json.RawMessage) error {
	var refused *tool.Error
	var texts []string
	for _, item := range items {
		for each := range strings.SplitSeq(rawjson.TextOf(item), ",") {
			texts = append(texts, strings.TrimSpace(each))
		}
	}
	if errors.As(err, &refused) && len(texts) > len(items) {
		refused.Instead = []rawjson.Object{{rawjson.Strings(name, texts)}}
	}
	return err
}

func (a *Arguments) text(name string, value json.RawMessage, checks []Check) (string, error) {
	straight := asText(value)
	text, isText := rawjson.Text(straight)
	if !isText {
		refused := refuse(tool.InvalidArguments, name, "must be a string; got "+shown(value))
		refused.Instead = Strings(name, value)
		return "", refused
	}
	for _, check := range checks {
		if err := check(name, text); err != nil {
			return "", err
		}
	}
	if value[0] != '"' {
		a.settle(name, straight)
	}
	return text, nil
}

// optional reads an argument, unless it is absent or an error came before.
func optional[T any](a *Arguments, name string, read func(json.RawMessage) (T, error)) *T {
	value := a.values[name]
	if value == nil || a.err != nil {
		return nil
	}
	var given T
	if given, a.err = read(value); a.err != nil {
		return nil
	}
	return &given
}

func orZero[T any](value *T) T {
	if value == nil {
		var zero T
		return zero
	}
	return *value
}

// asText returns the only item of a list if it is a string. It returns any other value as it is.
func asText(value json.RawMessage) json.RawMessage {
	if items, isList := rawjson.Elements(value); isList && len(items) == 1 && items[0][0] == '"' {
		return items[0]
	}
	return value
}

// maxCalls bounds the calls that replace one call.
const maxCalls = 4

// Strings returns the calls that pass a string where a value is none: one for each string of a list, or one with the digits of a
// number.
func Strings(name string, value json.RawMessage) []rawjson.Object {
	items, isList := rawjson.Elements(value)
	switch {
	case rawjson.Kind(value) == rawjson.Number:
		return []rawjson.Object{{rawjson.String(name, string(value))}}
	case !isList || len(items) > maxCalls || slices.ContainsFunc(items, func(item json.RawMessage) bool { return item[0] != '"' }):
		return nil
	}
	var calls []rawjson.Object
	for _, item := range items {
		calls = append(calls, rawjson.Object{rawjson.Raw(name, item)})
	}
	return calls
}

// asList is the list that a value stands for: itself, its JSON text, names with commas between them, or an object in which
// each name is true.
func asList(value json.RawMessage) ([]json.RawMessage, bool) {
	if chosen, isObject := rawjson.ParseObject(value); isObject && len(chosen) > 0 {
		var items []json.RawMessage
		for _, member := range chosen {
			if string(member.Value) != "true" && string(member.Value) != "1" {
				return nil, false
			}
			items = append(items, rawjson.Quote(member.Name))
		}
		return items, true
	}
	text, quoted := rawjson.Text(value)
	if !quoted {
		return rawjson.Elements(value)
	}
	if compact, err := rawjson.Compact([]byte(text)); err == nil && rawjson.Kind(compact) == rawjson.ArrayValue {
		return rawjson.Elements(compact)
	}
	var items []json.RawMessage
	for name := range strings.SplitSeq(text, ",") {
		items = append(items, rawjson.Quote(strings.TrimSpace(name)))
	}
	return items, true
}

// asInteger is the integer that a value stands for: a number, or a string that spells one.
func asInteger(value json.RawMessage) (int64, bool) {
	return exactInteger(strings.TrimSpace(scalar(value)))
}

func integerRange(minimum, maximum int64) string {
	switch {
	case minimum == math.MinInt64 && maximum == math.MaxInt64:
		return "an integer"
	case maximum == math.MaxInt64:
		return fmt.Sprintf("an integer of at least %d", minimum)
	case minimum == math.MinInt64:
		return fmt.Sprintf("an integer of at most %d", maximum)
	}
	return fmt.Sprintf("an integer from %d to %d", minimum, maximum)
}

// exactInteger reads a JSON number that is an integer in any spelling: 5, 5.0, 0.5e1. It computes on
// digits, so that no rounding makes an integer of something else.
func exactInteger(spelling string) (int64, bool) {
	if spelling == "" || spelling[0] != '-' && (spelling[0] < '0' || spelling[0] > '9') {
		return 0, false // a JSON value, but no number
	}
	mantissa, exponentText, _ := strings.Cut(strings.ToLower(spelling), "e")
	exponent := 0
	if exponentText != "" {
		var err error
		if exponent, err = strconv.Atoi(exponentText); err != nil {
			return 0, false
		}
	}
	sign := ""
	if strings.HasPrefix(mantissa, "-") {
		sign, mantissa = "-", mantissa[1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimRight(whole+fraction, "0")
	zeros := len(whole) + exponent - len(digits) // how many zeros follow the digits
	if strings.Trim(digits, "0") == "" {
		return 0, whole != ""
	}
	if zeros < 0 || zeros > 19 { // a fraction is left, or it is past 64 bits anyway
		return 0, false
	}
	number, err := strconv.ParseInt(sign+digits+strings.Repeat("0", zeros), 10, 64)
	return number, err == nil
}
