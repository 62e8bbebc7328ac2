package tool

import "encoding/json"

// Result is what a model may see of one call. Text and Structured each stand alone (R-BUD-1).
type Result struct {
	Text       string
	Structured json.RawMessage            // a JSON object
	Meta       map[string]json.RawMessage // for hosts, not for models; may be nil
	IsError    bool
	Rows       int // records, hits or groups that it shows
}
