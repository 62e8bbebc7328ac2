package blind

import (
	"encoding/json"
	"strings"
)

// parseLegend reads explanations such as
//
//	eq: filter {"field":value}; r=operators: filter {"field":{"gte":value}} with any of them
//
// into one for each flag: everything before the colon names the flags.
func parseLegend(text string) map[string]string {
	explained := map[string]string{}
	for part := range strings.SplitSeq(text, "; ") {
		names, meaning, found := strings.Cut(part, ": ")
		if !found {
			continue
		}
		for name := range strings.SplitSeq(names, ",") {
			flag, _, _ := strings.Cut(strings.TrimSpace(name), "=")
			explained[flag] = strings.TrimSpace(meaning)
		}
	}
	return explained
}

// parseFlags reads flags such as t=string|null,eq,r=gte|lt.
func parseFlags(flags string) map[string][]string {
	parsed := map[string][]string{}
	for flag := range strings.SplitSeq(flags, ",") {
		name, values, _ := strings.Cut(flag, "=")
		parsed[name] = nil
		if values != "" {
			parsed[name] = strings.Split(values, "|")
		}
	}
	return parsed
}

// filter builds a filter as the legend shows it for a flag: the template's field, operator and value are
// replaced. It is empty when the legend does not show one.
func (s Stream) filter(flag, field, operator string, value json.RawMessage) json.RawMessage {
	_, template, found := strings.Cut(s.Legend[flag], "filter ")
	if !found {
		return nil
	}
	const shownField, shownOperator, shownValue = `"field"`, `"gte"`, `value`
	if operator != "" && !strings.Contains(template, shownOperator) {
		return nil
	}
	end := strings.LastIndex(template, "}") + 1
	before, after, found := strings.Cut(template[:end], shownValue)
	if !found || !strings.Contains(before, shownField) {
		return nil
	}
	before = strings.Replace(before, shownField, quoted(field), 1)
	if operator != "" {
		before = strings.Replace(before, shownOperator, quoted(operator), 1)
	}
	built := json.RawMessage(before + string(value) + after)
	if !json.Valid(built) {
		return nil
	}
	return built
}

// explains tells whether the legend says that aggregate takes a metric or a grouping.
func (s Stream) explains(metric string) bool {
	words := strings.FieldsFunc(s.Legend["a"], func(r rune) bool { return r == ' ' || r == ',' || r == '.' })
	for _, word := range words {
		if word == metric && strings.Contains(s.Legend["a"], "aggregate") {
			return true
		}
	}
	return false
}

func quoted(text string) string {
	encoded, err := json.Marshal(text)
	if err != nil { // no string fails to encode
		panic(err)
	}
	return string(encoded)
}
