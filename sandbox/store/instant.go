package store

import (
	"fmt"
	"time"
)

// instantLayout is the form in which points in time are stored: UTC and of fixed width, so that the
// order of the texts is the order of the instants.
const instantLayout = "2006-01-02T15:04:05.000000000Z"

// instantText is the stored form of t.
func instantText(t time.Time) string { return t.UTC().Format(instantLayout) }

// ParseInstant reads an RFC 3339 date-time with any offset, or a date, which means midnight UTC.
func ParseInstant(text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err == nil {
		return t, nil
	}
	if day, dayErr := time.Parse(time.DateOnly, text); dayErr == nil {
		return day, nil
	}
	return time.Time{}, fmt.Errorf("%q is neither an RFC 3339 date-time nor a date: %w", text, err)
}

// storedInstant reads what instantText wrote.
func storedInstant(text string) (time.Time, error) {
	t, err := time.Parse(instantLayout, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("stored time: %w", err)
	}
	return t, nil
}
