package sandbox_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// trimmed starts what a capture writes in place of what it leaves out.
const trimmed = "…"

// shapeProblems lists where got lacks a member that want has, or has it with another type. Null stands
// for any type: it is what a field without a value is. Elements of lists are compared one by one as far
// as both go.
func shapeProblems(want, got any, path string) []string {
	if want == nil || got == nil {
		return nil
	}
	if kindOf(want) != kindOf(got) {
		return []string{fmt.Sprintf("%s: %s, captured as %s", path, kindOf(got), kindOf(want))}
	}
	var problems []string
	switch want := want.(type) {
	case map[string]any:
		got := got.(map[string]any)
		for name, value := range want {
			if name == trimmed {
				continue
			}
			inner := path + "." + name
			if found, exists := got[name]; exists {
				problems = append(problems, shapeProblems(value, found, inner)...)
			} else {
				problems = append(problems, inner+": absent")
			}
		}
	case []any:
		got := got.([]any)
		want = slices.DeleteFunc(slices.Clone(want), isTrimMark)
		if len(want) > 0 && len(got) == 0 {
			return []string{path + ": empty"}
		}
		for i := range min(len(want), len(got)) {
			problems = append(problems, shapeProblems(want[i], got[i], path+"[]")...)
		}
	}
	slices.Sort(problems)
	return slices.Compact(problems)
}

// unlikeEverywhere are members whose values are new in every answer, or that say how long a server has kept its data.
var unlikeEverywhere = []string{
	"request_id", "trace_id", "scenario_id", "grant_id", "client_id", "next_cursor", "next", "value_ms", "score",
	"freshness", "emitted_at",
	"last_updated", "resource_metadata", "description", "record_json_bytes",
}

// valueProblems lists where got has another value than want, or more elements or members.
func valueProblems(want, got any, path string) []string {
	var problems []string
	switch want := want.(type) {
	case map[string]any:
		other, _ := got.(map[string]any)
		for name, value := range want {
			if name != trimmed && !slices.Contains(unlikeEverywhere, name) {
				problems = append(problems, valueProblems(value, other[name], path+"."+name)...)
			}
		}
		for name := range other {
			if _, captured := want[name]; !captured && want[trimmed] == nil {
				problems = append(problems, path+"."+name+": not captured")
			}
		}
	case []any:
		other, _ := got.([]any)
		if cut := slices.ContainsFunc(want, isTrimMark); len(want) != len(other) && !cut {
			return []string{fmt.Sprintf("%s: %d elements, captured %d", path, len(other), len(want))}
		}
		for i, each := range want[:min(len(want), len(other))] {
			if !isTrimMark(each) {
				problems = append(problems, valueProblems(each, other[i], path+"[]")...)
			}
		}
	case string:
		if beginning, _, cut := strings.Cut(want, trimmed); want != got &&
			!(cut && strings.HasPrefix(fmt.Sprint(got), beginning)) {
			problems = append(problems, fmt.Sprintf("%s: %v, captured %s", path, got, want))
		}
	default:
		if want != got {
			problems = append(problems, fmt.Sprintf("%s: %v, captured %v", path, got, want))
		}
	}
	slices.Sort(problems)
	return slices.Compact(problems)
}

func isTrimMark(v any) bool {
	s, is := v.(string)
	return is && strings.HasPrefix(s, trimmed)
}

func kindOf(v any) string {
	switch v.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "array"
	case string:
		return "string"
	case float64:
		return "number"
	case bool:
		return "boolean"
	}
	return "null"
}

// errorCode returns the code of an error envelope, of an OAuth error or of a framework's error.
func errorCode(body []byte) string {
	var envelope struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &envelope) != nil || envelope.Error == nil {
		return ""
	}
	var detail struct {
		Code string `json:"code"`
	}
	if json.Unmarshal(envelope.Error, &detail) == nil {
		return detail.Code
	}
	return strings.Trim(string(envelope.Error), `"`)
}
