package store

import (
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"modernc.org/sqlite"
)

// registerFunctions registers the SQL functions that queries use, for every connection that is opened later in
// this process.
var registerFunctions = sync.OnceValue(func() error {
	return errors.Join(
		sqlite.RegisterDeterministicScalarFunction("instant", 1, sqlInstant),
		sqlite.RegisterDeterministicScalarFunction("time_bucket", 3, sqlTimeBucket),
		sqlite.RegisterDeterministicScalarFunction("value_text", 1, sqlValueText),
		sqlite.RegisterDeterministicScalarFunction("matched", 2, sqlMatched),
	)
})

// sqlInstant implements instant(text): the stored form of a date-time, or NULL if text is not a date-time.
func sqlInstant(_ *sqlite.FunctionContext, arguments []driver.Value) (driver.Value, error) {
	text, ok := arguments[0].(string)
	if !ok {
		return nil, nil
	}
	t, err := ParseInstant(text)
	if err != nil {
		return nil, nil //nolint:nilerr // a value that is not a time has no instant, which SQL calls NULL
	}
	return instantText(t), nil
}

// sqlValueText implements value_text(json): a scalar as JavaScript writes it, so that 2.0 is 2 and NULL is undefined.
func sqlValueText(_ *sqlite.FunctionContext, arguments []driver.Value) (driver.Value, error) {
	raw, ok := arguments[0].(string)
	if !ok {
		return "undefined", nil
	}
	var value any
	if err := json.Unmarshal([]byte(raw), &value); err != nil {
		return nil, fmt.Errorf("read a stored value: %w", err)
	}
	switch value := value.(type) {
	case string:
		return value, nil
	case float64:
		if magnitude := math.Abs(value); magnitude >= 1e21 || magnitude != 0 && magnitude < 1e-6 {
			mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(value, 'e', -1, 64), "e")
			return mantissa + "e" + exponent[:1] + strings.TrimLeft(exponent[1:], "0"), nil
		}
		return strconv.FormatFloat(value, 'f', -1, 64), nil
	}
	return raw, nil
}

// sqlMatched implements matched(text, pattern): the first group of a regular expression's first match in a text or
// blob, or NULL without a match. The queries of tests use it.
func sqlMatched(_ *sqlite.FunctionContext, arguments []driver.Value) (driver.Value, error) {
	pattern, err := regexp.Compile(fmt.Sprint(arguments[1]))
	if err != nil {
		return nil, fmt.Errorf("matched: %w", err)
	}
	text, _ := arguments[0].(string)
	if bytes, isBlob := arguments[0].([]byte); isBlob {
		text = string(bytes)
	}
	if groups := pattern.FindStringSubmatch(text); len(groups) > 1 {
		return groups[1], nil
	}
	return nil, nil
}

// sqlTimeBucket implements time_bucket(text, granularity, zone). It is NULL if text is not a date-time.
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
