package tool

import "time"

// EveryStream is the name for all granted streams (R-TIME-1).
const EveryStream = "*"

// TimeKey is the filter key for the time of a record, whatever its field is called (R-TIME-1).
const TimeKey = "time"

// FieldsLeftOut is the member of a timeline with the fields that its rows do not show, by stream (R-CLAIM-5).
const FieldsLeftOut = "fields_left_out"

// Clock is the current time and the zone in which a call reads dates and groups times (R-TIME-8).
type Clock struct {
	Zone *time.Location   // has an IANA name; nil: UTC
	At   func() time.Time // nil: time.Now
}

func (c Clock) Now() time.Time {
	now := time.Now
	if c.At != nil {
		now = c.At
	}
	return now().In(c.Location())
}

func (c Clock) Location() *time.Location {
	if c.Zone == nil {
		return time.UTC
	}
	return c.Zone
}
