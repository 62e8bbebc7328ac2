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

// takeRanges adds the operators that the legend names to a range flag without operators.
func (s Stream) takeRanges() {
	shown, others, _ := strings.Cut(s.Legend["r"], ", also ")
	if !strings.Contains(shown, shownOperator) {
		return
	}
	operators := append([]string{strings.Trim(shownOperator, `"`)}, strings.Split(others, ", ")...)
	for _, field := range s.Fields {
		if listed, is := field.Flags["r"]; is && listed == nil {
			field.Flags["r"] = operators
		}
	}
}

// What the template of a filter has in the places of a field, an operator and a value.
const shownField, shownOperator, shownValue = `"field"`, `"gte"`, `value`

// filter builds a filter as the legend shows it for a flag: the template's field, operator and value are
// replaced. It is empty when the legend does not show one.
func (s Stream) filter(flag, field, operator string, value json.RawMessage) json.RawMessage {
	_, template, found := strings.Cut(s.Legend[flag], "filter ")
	if !found {
		return nil
	}
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

// explains reports whether the legend says that a flag is about aggregate.
func (s Stream) explains(flag string) bool { return strings.Contains(s.Legend[flag], "aggregate") }

func quoted(text string) string {
	encoded, err := json.Marshal(text)
	if err != nil { // no string fails to encode
		panic(err)
	}
	return string(encoded)
}
