package render

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/render/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// parameter is one parameter of the request that was sent, in its order.
type parameter struct{ name, value string }

// sent reads the query of the request back from the URL that was read. The RS saw these values, so
// a call that is built from them asks the same question again.
func sent(response *rs.Response) []parameter {
	_, query, _ := strings.Cut(response.URL, "?")
	query, _, _ = strings.Cut(query, "#")
	var parameters []parameter
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		plainName, nameErr := url.QueryUnescape(name)
		plainValue, valueErr := url.QueryUnescape(value)
		if name != "" && nameErr == nil && valueErr == nil {
			parameters = append(parameters, parameter{strings.TrimSuffix(plainName, "[]"), plainValue})
		}
	}
	return parameters
}

// repeat is the tool arguments that lead to the request that was sent, after the given ones.
// Parameters of the names given or skipped are left out.
func repeat(response *rs.Response, given rawjson.Object, skipped ...string) rawjson.Object {
	arguments := given
	lists := map[string][]string{}
	brackets := map[string]rawjson.Object{}
	for _, sent := range sent(response) {
		name, path := bracketPath(sent.name)
		if isMember(given, name) || contains(skipped, name) {
			continue
		}
		switch name {
		case "limit":
			if limit, err := strconv.ParseInt(sent.value, 10, 64); err == nil {
				arguments = append(arguments, rawjson.Int(name, limit))
			}
		case "cursor", "order", "sort", "count", "view", "changes_since", "connection_id", "q", "metric", "field",
			"group_by", "group_by_time", "granularity", "time_zone":
			arguments = append(arguments, rawjson.String(name, sent.value))
		case "fields":
			arguments = append(arguments, rawjson.Strings(name, strings.Split(sent.value, ",")))
		case "expand", "streams":
			lists[name] = append(lists[name], sent.value)
			arguments = arguments.With(name, rawjson.Strings(name, lists[name]).Value)
		case "filter", "expand_limit":
			brackets[name] = bracketed(brackets[name], name, path, sent.value)
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
	for _, member := range object {
		if member.Name == name {
			return true
		}
	}
	return false
}

func contains(names []string, name string) bool {
	for _, each := range names {
		if each == name {
			return true
		}
	}
	return false
}
