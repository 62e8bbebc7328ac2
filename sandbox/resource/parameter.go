package resource

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// parameter is one name=value pair of a query. A bracketed name is split: filter[size][gte] is filter with the keys
// size and gte, streams[] is streams with one empty key.
type parameter struct {
	name  string // as sent, decoded
	base  string
	keys  []string
	value string
}

// parameters are the pairs of a query in the order of the query.
type parameters []parameter

func parseParameters(rawQuery string) (parameters, error) {
	var parsed parameters
	for pair := range strings.SplitSeq(rawQuery, "&") {
		if pair == "" {
			continue
		}
		rawName, rawValue, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(rawName)
		if err != nil {
			return nil, invalidRequest("Malformed percent-encoding in query parameter name %q", rawName)
		}
		value, err := url.QueryUnescape(rawValue)
		if err != nil {
			return nil, invalidRequest("Malformed percent-encoding in query parameter %q", name).of(name)
		}
		base, keys := splitBrackets(name)
		parsed = append(parsed, parameter{name: name, base: base, keys: keys, value: value})
	}
	return parsed, nil
}

// splitBrackets splits a bracketed name. A name whose brackets do not match stays whole.
func splitBrackets(name string) (string, []string) {
	base, rest, found := strings.Cut(name, "[")
	if !found || !strings.HasSuffix(rest, "]") {
		return name, nil
	}
	return base, strings.Split(strings.TrimSuffix(rest, "]"), "][")
}

// first returns the first value of an unbracketed parameter, and reports whether there is one.
func (p parameters) first(name string) (string, bool) {
	for _, parameter := range p {
		if parameter.name == name {
			return parameter.value, true
		}
	}
	return "", false
}

// value is like first, with the empty string for an absent parameter.
func (p parameters) value(name string) string {
	value, _ := p.first(name)
	return value
}

// all returns the values of name and of name[].
func (p parameters) all(name string) []string {
	var values []string
	for _, parameter := range p {
		if parameter.name == name || parameter.name == name+"[]" {
			values = append(values, parameter.value)
		}
	}
	return values
}

// bracketed returns the parameters base[…].
func (p parameters) bracketed(base string) parameters {
	var found parameters
	for _, parameter := range p {
		if parameter.base == base && parameter.keys != nil {
			found = append(found, parameter)
		}
	}
	return found
}

// checkNames refuses a parameter that is not among the names. A name that ends in [] matches itself
// with or without brackets, one that ends in [key] for itself with one or two keys.
func (p parameters) checkNames(names ...string) *problem {
	for _, parameter := range p {
		allowed := slices.ContainsFunc(names, func(name string) bool {
			switch {
			case strings.HasSuffix(name, "[]"):
				return parameter.name == name || parameter.name == strings.TrimSuffix(name, "[]")
			case strings.HasSuffix(name, "[key]"):
				return parameter.base == strings.TrimSuffix(name, "[key]") && parameter.keys != nil
			}
			return parameter.name == name
		})
		if !allowed {
			return invalidRequest("Unsupported query parameter: %s", parameter.name)
		}
	}
	return nil
}

// pageLimit parses limit: at most 100, and 25 if it is absent or not a positive number.
func (c *call) pageLimit(unit string) int {
	const usual, most = 25, 100
	requested, err := strconv.Atoi(c.parameters.value("limit"))
	if err != nil || requested < 1 {
		return usual
	}
	if requested > most {
		c.warn(warning{
			Code: "limit_clamped", Param: "limit",
			Message: "Requested limit=" + strconv.Itoa(requested) + " exceeds the maximum page size of 100; returned " + unit +
				" per page. Page forward with the returned cursor.",
			Detail: map[string]any{"max_limit": most, "requested_limit": requested},
		})
		return most
	}
	return requested
}

// nextPage returns the request's path and query with the cursor of the next page.
func (c *call) nextPage(cursor string) *string {
	var query []string
	for _, parameter := range c.parameters {
		if parameter.name != "cursor" && parameter.name != "changes_since" {
			query = append(query, url.QueryEscape(parameter.name)+"="+url.QueryEscape(parameter.value))
		}
	}
	next := c.URL.EscapedPath() + "?" + strings.Join(append(query, "cursor="+url.QueryEscape(cursor)), "&")
	return &next
}
