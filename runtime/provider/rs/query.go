package rs

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Parameter is one name and value of a query string, neither of them encoded.
type Parameter struct{ Name, Value string }

// Query is the query string of a request, in the order in which it was built. A nil argument adds nothing, but an empty
// string is sent. The zero value is an empty query. Only one copy of a query may be changed.
type Query struct {
	parameters []Parameter
}

// Parameters returns the parameters in order. The caller must not change them.
func (q Query) Parameters() []Parameter { return q.parameters }

// Get returns the value of the first parameter of a name, and whether there is one.
func (q Query) Get(name string) (string, bool) {
	for _, parameter := range q.parameters {
		if parameter.Name == name {
			return parameter.Value, true
		}
	}
	return "", false
}

// With returns a copy in which a parameter has a value. A new parameter is the last one.
func (q Query) With(name, value string) Query {
	for i, parameter := range q.parameters {
		if parameter.Name == name {
			copied := slices.Clone(q.parameters)
			copied[i].Value = value
			return Query{copied}
		}
	}
	return Query{append(slices.Clip(q.parameters), Parameter{name, value})}
}

// Without returns a copy without the named parameters.
func (q Query) Without(names ...string) Query {
	return Query{slices.DeleteFunc(slices.Clone(q.parameters), func(parameter Parameter) bool {
		return slices.Contains(names, parameter.Name)
	})}
}

// WithoutMembers returns a copy without the parameters name[…], such as those of a filter.
func (q Query) WithoutMembers(name string) Query {
	return Query{slices.DeleteFunc(slices.Clone(q.parameters), func(parameter Parameter) bool {
		return strings.HasPrefix(parameter.Name, name+"[")
	})}
}

// Encoded returns the query string without a leading question mark.
func (q Query) Encoded() string {
	var encoded strings.Builder
	for _, parameter := range q.parameters {
		if encoded.Len() > 0 {
			encoded.WriteByte('&')
		}
		encoded.WriteString(url.QueryEscape(parameter.Name))
		encoded.WriteByte('=')
		encoded.WriteString(url.QueryEscape(parameter.Value))
	}
	return encoded.String()
}

// Set adds a parameter that is always sent.
func (q *Query) Set(name, value string) {
	q.parameters = append(q.parameters, Parameter{name, value})
}

// String adds name=value unless the value is nil.
func (q *Query) String(name string, value *string) {
	if value != nil {
		q.Set(name, *value)
	}
}

// Integer adds name=value unless the value is nil.
func (q *Query) Integer(name string, value *int64) {
	if value != nil {
		q.Set(name, strconv.FormatInt(*value, 10))
	}
}

// CommaList adds one parameter whose value is the list, separated by commas (R-ARG-6: fields).
func (q *Query) CommaList(name string, values []string) {
	if values != nil {
		q.Set(name, strings.Join(values, ","))
	}
}

// Repeated adds the parameter once for each value (R-ARG-6: expand, streams).
func (q *Query) Repeated(name string, values []string) {
	for _, value := range values {
		q.Set(name, value)
	}
}

// BracketFilter adds name[field]=value and name[field][operator]=value (R-ARG-2).
func (q *Query) BracketFilter(name string, filter Filter) {
	for _, condition := range filter {
		key := name + "[" + condition.Field + "]"
		if condition.Operator != "" {
			key += "[" + condition.Operator + "]"
		}
		q.Set(key, condition.Value)
	}
}

// BracketMap adds name[relation]=count (R-ARG-4).
func (q *Query) BracketMap(name string, limits Limits) {
	for _, limit := range limits {
		q.Set(name+"["+limit.Relation+"]", strconv.FormatInt(limit.Count, 10))
	}
}

// Filter is a conjunction of conditions in the order of the call (R-ARG-1).
type Filter []Condition

// AnyTime is the field of a condition on the time of a record, in a request to OneSource that does not know the name of
// the field.
const AnyTime = "*"

// Condition compares one field with one value.
type Condition struct {
	Field    string
	Operator string // gte, gt, lte or lt; empty for equality
	Value    string // in its exact spelling: 1.10 stays 1.10 (R-ARG-2)
	Number   bool   // the value was a JSON number
}

// Limits are the limits of expanded relations, in the order of the call (R-ARG-4).
type Limits []Limit

// Limit is the maximum number of records to expand for one relation.
type Limit struct {
	Relation string
	Count    int64 // at least 1
}
