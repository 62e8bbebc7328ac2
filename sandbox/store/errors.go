package store

import (
	"errors"
	"fmt"
)

// ErrNotFound reports that a record or a blob does not exist, or was deleted.
var ErrNotFound = errors.New("not found")

// ErrInDirectory reports that a store in a directory cannot be copied: its pages are marked for a write-ahead log,
// which a database in memory does not have. Open its directory again instead.
var ErrInDirectory = errors.New("a store in a directory cannot be copied; open the directory again")

// UndeclaredError reports a record of a connection or a stream that no loaded dataset declares. Load a dataset that
// declares it first.
type UndeclaredError struct {
	ConnectionID string
	Stream       string
}

func (e *UndeclaredError) Error() string {
	return fmt.Sprintf("stream %q of connection %q is not declared by the loaded dataset", e.Stream, e.ConnectionID)
}

// DataError reports that the data of a record cannot be stored.
type DataError struct {
	Stream string
	Key    string
	Reason string
	Err    error // the cause, or nil
}

func (e *DataError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("record %q of stream %q: %s: %v", e.Key, e.Stream, e.Reason, e.Err)
	}
	return fmt.Sprintf("record %q of stream %q: %s", e.Key, e.Stream, e.Reason)
}

func (e *DataError) Unwrap() error { return e.Err }
