package store

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"
	"time"

	"modernc.org/sqlite"
)

// registerFunctions teaches SQLite the functions that queries use. They hold for every connection that is
// opened later in this process.
var registerFunctions = sync.OnceValue(func() error {
	return errors.Join(
		sqlite.RegisterDeterministicScalarFunction("instant", 1, sqlInstant),
		sqlite.RegisterDeterministicScalarFunction("time_bucket", 3, sqlTimeBucket),
	)
})

// sqlInstant is instant(text): the stored form of a date-time, or NULL when text is none.
func sqlInstant(_ *sqlite.FunctionContext, arguments []driver.Value) (driver.Value, error) {
	text, ok := arguments[0].(string)
	if !ok {
		return nil, nil
	}
	t, err := ParseInstant(text)
	if err != nil {
		return nil, nil //nolint:nilerr // a value that is no time has no instant, which SQL calls NULL
	}
	return instantText(t), nil
}

// sqlTimeBucket is time_bucket(text, granularity, zone), or NULL when text is no date-time.
func sqlTimeBucket(_ *sqlite.FunctionContext, arguments []driver.Value) (driver.Value, error) {
	text, ok := arguments[0].(string)
	if !ok {
		return nil, nil
	}
	t, err := ParseInstant(text)
	if err != nil {
		return nil, nil //nolint:nilerr // as in sqlInstant
	}
	granularity, _ := arguments[1].(string)
	name, _ := arguments[2].(string)
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("time zone %q: %w", name, err)
	}
	return Bucket(t, granularity, zone), nil
}
