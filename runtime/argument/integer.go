package argument

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Integer gives an optional integer from minimum to maximum, both included, or nil when it is absent.
// math.MinInt64 and math.MaxInt64 mean no bound. 5.0 is the integer 5, as JSON Schema has it. Out of
// range is refused and never clamped (R-ARG-5).
func (a *Arguments) Integer(name string, minimum, maximum int64) *int64 {
	value := a.take(name)
	if value == nil {
		return nil
	}
	number, ok := a.integer(name, value, minimum, maximum)
	if !ok {
		return nil
	}
	return &number
}

// RequiredInteger gives an integer under the rules of Integer. One that is absent is refused with invalid_arguments.
func (a *Arguments) RequiredInteger(name string, minimum, maximum int64) int64 {
	value := a.require(name, integerRange(minimum, maximum))
	if value == nil {
		return 0
	}
	number, _ := a.integer(name, value, minimum, maximum)
	return number
}

func (a *Arguments) integer(name string, value json.RawMessage, minimum, maximum int64) (int64, bool) {
	number, ok := exactInteger(string(value))
	if !ok || number < minimum || number > maximum {
		a.fail(refuse(tool.InvalidArguments, name, "must be "+integerRange(minimum, maximum)+"; got "+shown(value)))
		return 0, false
	}
	return number, true
}

func integerRange(minimum, maximum int64) string {
	switch {
	case minimum == math.MinInt64 && maximum == math.MaxInt64:
		return "an integer"
	case maximum == math.MaxInt64:
		return fmt.Sprintf("an integer of at least %d", minimum)
	case minimum == math.MinInt64:
		return fmt.Sprintf("an integer of at most %d", maximum)
	}
	return fmt.Sprintf("an integer from %d to %d", minimum, maximum)
}

// exactInteger reads a JSON number that is an integer in any spelling: 5, 5.0, 0.5e1. It computes on
// digits, so that no rounding makes an integer of something else.
func exactInteger(spelling string) (int64, bool) {
	if spelling == "" || spelling[0] != '-' && (spelling[0] < '0' || spelling[0] > '9') {
		return 0, false // a JSON value, but no number
	}
	mantissa, exponentText, _ := strings.Cut(strings.ToLower(spelling), "e")
	exponent := 0
	if exponentText != "" {
		var err error
		if exponent, err = strconv.Atoi(exponentText); err != nil {
			return 0, false
		}
	}
	sign := ""
	if strings.HasPrefix(mantissa, "-") {
		sign, mantissa = "-", mantissa[1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimRight(whole+fraction, "0")
	zeros := len(whole) + exponent - len(digits) // how many zeros follow the digits
	if strings.Trim(digits, "0") == "" {
		return 0, true
	}
	if zeros < 0 || zeros > 19 { // a fraction is left, or it is past 64 bits anyway
		return 0, false
	}
	number, err := strconv.ParseInt(sign+digits+strings.Repeat("0", zeros), 10, 64)
	return number, err == nil
}
