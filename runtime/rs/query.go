package rs

import (
	"net/url"
	"strconv"
	"strings"
)

// Query is the query string of a request, in the order in which it was built. An argument that was
// not given (a nil pointer, a nil slice) adds nothing; an empty string that was given is sent.
// The zero value is an empty query.
type Query struct {
	encoded strings.Builder
}

// Encoded is the query string without a leading question mark.
func (q *Query) Encoded() string { return q.encoded.String() }

func (q *Query) add(name, value string) {
	if q.encoded.Len() > 0 {
		q.encoded.WriteByte('&')
	}
	q.encoded.WriteString(url.QueryEscape(name))
	q.encoded.WriteByte('=')
	q.encoded.WriteString(url.QueryEscape(value))
}

// Set adds a parameter that is always sent.
func (q *Query) Set(name, value string) { q.add(name, value) }

// String adds name=value when a value was given.
func (q *Query) String(name string, value *string) {
	if value != nil {
		q.add(name, *value)
	}
}

// Integer adds name=value when a value was given.
func (q *Query) Integer(name string, value *int64) {
	if value != nil {
		q.add(name, strconv.FormatInt(*value, 10))
	}
}

// CommaList adds one parameter whose value is the list, separated by commas (R-ARG-6: fields).
func (q *Query) CommaList(name string, values []string) {
	if values != nil {
		q.add(name, strings.Join(values, ","))
	}
}

// Repeated adds the parameter once for each value (R-ARG-6: expand, streams).
func (q *Query) Repeated(name string, values []string) {
	for _, value := range values {
		q.add(name, value)
	}
}

// BracketFilter adds name[field]=value and name[field][operator]=value (R-ARG-2).
func (q *Query) BracketFilter(name string, filter Filter) {
	for _, condition := range filter {
		key := name + "[" + condition.Field + "]"
		if condition.Operator != "" {
			key += "[" + condition.Operator + "]"
		}
		q.add(key, condition.Value)
	}
}

// BracketMap adds name[relation]=count (R-ARG-4).
func (q *Query) BracketMap(name string, limits Limits) {
	for _, limit := range limits {
		q.add(name+"["+limit.Relation+"]", strconv.FormatInt(limit.Count, 10))
	}
}
