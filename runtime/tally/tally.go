package tally

import (
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// Tally is an aggregation of the records that were added so far. It is not safe for concurrent use.
type Tally struct {
	query   Query
	zone    *time.Location
	records int64
}

// New prepares an aggregation. Its error is an *Error.
func New(query Query) (*Tally, error) {
	return &Tally{query: query}, nil
}

// Fields are the names of the fields that are read, each once.
func (t *Tally) Fields() []string { return nil }

// Add counts in a record with these fields, an object out of a checked document.
func (t *Tally) Add(fields rawjson.Value) { t.records++ }

// Records are how many records were added.
func (t *Tally) Records() int64 { return t.records }

// Body is the aggregation in the resource server's envelope, without meta.
func (t *Tally) Body() rawjson.Object { return nil }

// Warnings say what the figures leave out: values that could not be measured, and groups beyond those that are kept.
func (t *Tally) Warnings() []string { return nil }
