package render

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// limitMost is the greatest limit that a tool takes (R-ARG-5).
const limitMost = 100

// repeat is the tool arguments that lead to the request that was sent, after the given ones. The RS saw
// these values, so the call asks the same question again.
// Parameters of the names given or skipped are left out.
func repeat(response *rs.Response, given rawjson.Object, skipped ...string) rawjson.Object {
	arguments := given
	lists := map[string][]string{}
	brackets := map[string]rawjson.Object{}
	for _, sent := range response.Request.Query.Parameters() {
		name, path := bracketPath(sent.Name)
		if isMember(given, name) || slices.Contains(skipped, name) {
			continue
		}
		switch name {
		case "limit":
			if limit, err := strconv.ParseInt(sent.Value, 10, 64); err == nil && 1 <= limit && limit <= limitMost {
				arguments = append(arguments, rawjson.Int(name, limit))
			}
		case "cursor", "order", "sort", "count", "view", "changes_since", "connection_id", "q", "metric", "field",
			"group_by", "group_by_time", "granularity", "time_zone":
			arguments = append(arguments, rawjson.String(name, sent.Value))
		case "fields":
			arguments = append(arguments, rawjson.Strings(name, strings.Split(sent.Value, ",")))
		case "expand", "streams":
			lists[name] = append(lists[name], sent.Value)
			arguments = arguments.With(name, rawjson.Strings(name, lists[name]).Value)
		case "filter", "expand_limit":
			brackets[name] = bracketed(brackets[name], name, path, sent.Value)
			if len(brackets[name]) > 0 {
				arguments = arguments.With(name, brackets[name].Encode())
			}
		}
	}
	return arguments
}

// bracketPath splits filter[field][gte] into filter and its path.
func bracketPath(name string) (string, []string) {
	head, rest, found := strings.Cut(name, "[")
	if !found {
		return name, nil
	}
	return head, strings.Split(strings.TrimSuffix(rest, "]"), "][")
}

// bracketed adds one condition or one limit to the object that the tool takes.
func bracketed(object rawjson.Object, name string, path []string, value string) rawjson.Object {
	spelled := rawjson.Quote(value)
	if name == "expand_limit" {
		if _, err := strconv.ParseInt(value, 10, 64); err != nil {
			return object
		}
		spelled = json.RawMessage(value)
	}
	switch len(path) {
	case 1:
		return object.With(path[0], spelled)
	case 2:
		operators, _ := rawjson.ParseObject(object.Get(path[0]))
		return object.With(path[0], operators.With(path[1], spelled).Encode())
	}
	return object
}

func isMember(object rawjson.Object, name string) bool {
	return slices.ContainsFunc(object, func(member rawjson.Member) bool { return member.Name == name })
}
