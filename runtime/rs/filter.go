package rs

// Filter is a conjunction of conditions in the order in which the caller wrote them (R-ARG-1).
type Filter []Condition

// Condition compares one field with one value.
type Condition struct {
	Field    string
	Operator string // gte, gt, lte or lt; empty for equality
	Value    string // the value's exact spelling: 1.10 stays 1.10 (R-ARG-2)
}

// Limits bounds expanded relations, in the order in which the caller wrote them (R-ARG-4).
type Limits []Limit

// Limit is the greatest number of records to expand for one relation.
type Limit struct {
	Relation string
	Count    int64 // at least 1
}
