package argument

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/nearname"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// A value in another form is accepted if its meaning is certain: "5" for 5, "true" for true, ["a"] for "a", "a,b" for
// ["a","b"], and the JSON text of a list or an object for the list or object. Given returns the advertised form.

// String returns an optional string, or nil if it is absent. The empty string is a value.
func (a *Arguments) String(name string, checks ...Check) *string {
	return optional(a, name, func(value json.RawMessage) (string, error) { return a.text(name, value, checks) })
}

// RequiredString returns a string like String. An absent one is invalid_arguments.
func (a *Arguments) RequiredString(name string, checks ...Check) string {
	a.require(name, "a string")
	return scalar.OrZero(a.String(name, checks...))
}

// Word returns an optional string that is one of a few words, in any case, or nil if it is absent.
func (a *Arguments) Word(name string, words ...string) *string {
	return optional(a, name, func(value json.RawMessage) (string, error) {
		text := plainText(onlyString(value))
		for _, word := range words {
			if strings.EqualFold(word, strings.TrimSpace(text)) {
				a.normalize(name, rawjson.Quote(word))
				return word, nil
			}
		}
		refused := refuse(tool.InvalidArguments, name, fmt.Sprintf("must be one of %s; got %s", strings.Join(words, ", "), quote(text)))
		refused.Accepted = words
		if near := nearname.Nearest(text, words); near != "" {
			refused.DidYouMean, refused.Instead = near, []rawjson.Object{{rawjson.String(name, near)}}
		}
		return "", refused
	})
}

// RequiredWord returns a word like Word. An absent one is invalid_arguments.
func (a *Arguments) RequiredWord(name string, words ...string) string {
	a.require(name, "one of "+strings.Join(words, ", "), words...)
	return scalar.OrZero(a.Word(name, words...))
}

// Boolean returns an optional true or false, or nil if it is absent.
func (a *Arguments) Boolean(name string) *bool {
	return optional(a, name, func(value json.RawMessage) (bool, error) {
		text := strings.ToLower(plainText(value))
		if text != "true" && text != "false" {
			return false, refuse(tool.InvalidArguments, name, "must be true or false; got "+shown(value))
		}
		a.normalize(name, json.RawMessage(text))
		return text == "true", nil
	})
}

// Integer returns an optional integer from minimum to maximum, or nil if it is absent. math.MinInt64 and math.MaxInt64
// mean no bound. 5.0 is the integer 5, as in JSON Schema. A value out of range is refused, not clamped (R-ARG-5).
func (a *Arguments) Integer(name string, minimum, maximum int64) *int64 {
	return optional(a, name, func(value json.RawMessage) (int64, error) {
		number, ok := asInteger(value)
		if ok && number >= minimum && number <= maximum {
			if value[0] == '"' {
				a.normalize(name, strconv.AppendInt(nil, number, 10))
			}
			return number, nil
		}
		problem := "must be " + integerRange(minimum, maximum) + "; got " + shown(value)
		if !ok {
			return 0, refuse(tool.InvalidArguments, name, problem)
		}
		return 0, refuse(tool.InvalidArguments, name, problem, rawjson.Object{rawjson.Int(name, min(max(number, minimum), maximum))})
	})
}

// RequiredInteger returns an integer like Integer. An absent one is invalid_arguments.
func (a *Arguments) RequiredInteger(name string, minimum, maximum int64) int64 {
	a.require(name, integerRange(minimum, maximum))
	return scalar.OrZero(a.Integer(name, minimum, maximum))
}

// StringList returns a list of strings, or nil if it is absent or empty. The checks apply to each item.
func (a *Arguments) StringList(name string, itemChecks ...Check) []string {
	return scalar.OrZero(optional(a, name, func(value json.RawMessage) ([]string, error) {
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
				return nil, splitAtCommas(err, name, items)
			}
			texts = append(texts, text)
		}
		if value[0] != '[' {
			a.normalize(name, rawjson.Array(items))
		}
		return texts, nil
	}))
}

// splitAtCommas adds a correction to a refusal if items of the list hold commas.
func splitAtCommas(err error, name string, items []json.RawMessage) error {
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
	only := onlyString(value)
	text, isText := rawjson.Text(only)
	if !isText {
		return "", refuse(tool.InvalidArguments, name, "must be a string; got "+shown(value), Strings(name, value)...)
	}
	for _, check := range checks {
		if err := check(name, text); err != nil {
			return "", err
		}
	}
	if value[0] != '"' {
		a.normalize(name, only)
	}
	return text, nil
}

// optional reads an argument. It returns nil if the argument is absent or an earlier one was refused.
func optional[T any](a *Arguments, name string, read func(json.RawMessage) (T, error)) *T {
	value := a.given.Get(name)
	if value == nil || a.err != nil {
		return nil
	}
	var given T
	if given, a.err = read(value); a.err != nil {
		return nil
	}
	return &given
}

// onlyString returns the only item of a list if it is a string, and any other value as it is.
func onlyString(value json.RawMessage) json.RawMessage {
	if items, isList := rawjson.Elements(value); isList && len(items) == 1 && items[0][0] == '"' {
		return items[0]
	}
	return value
}

// maxCalls limits the calls that replace one call.
const maxCalls = 4

// Strings returns the calls that pass a string instead of another value: one for each string of a list, or one with the
// digits of a number.
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

// asList returns a list, the list in a JSON text, the names of a text with commas, or the names that an object maps to
// true.
func asList(value json.RawMessage) ([]json.RawMessage, bool) {
	var items []json.RawMessage
	chosen, isObject := rawjson.ParseObject(value)
	for _, member := range chosen {
		if string(member.Value) != "true" && string(member.Value) != "1" {
			return nil, false
		}
		items = append(items, rawjson.Quote(member.Name))
	}
	if isObject {
		return items, items != nil
	}
	text, isText := rawjson.Text(value)
	if !isText {
		return rawjson.Elements(value)
	}
	if compact, err := rawjson.Compact([]byte(text)); err == nil && rawjson.Kind(compact) == rawjson.ArrayValue {
		return rawjson.Elements(compact)
	}
	for name := range strings.SplitSeq(text, ",") {
		items = append(items, rawjson.Quote(strings.TrimSpace(name)))
	}
	return items, true
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

// asInteger returns an integer in any spelling: 5, 5.0, 0.5e1, "5". It never rounds: it returns false for a number with
// a fraction.
func asInteger(value json.RawMessage) (int64, bool) {
	spelling := strings.TrimPrefix(strings.TrimSpace(plainText(value)), "+")
	if mantissa, _, _ := strings.Cut(strings.ToLower(spelling), "e"); strings.Trim(mantissa, "-0.") == "" {
		spelling = mantissa // zero, with any exponent
	}
	decimal, isNumber := scalar.ParseDecimal([]byte(spelling))
	number, err := strconv.ParseInt(string(decimal.Append(nil)), 10, 64)
	return number, isNumber && err == nil
}
