package scalar

import (
	"bytes"
	"cmp"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Bounds of the numbers that ParseDecimal accepts. They include every double. No server prints more digits.
const (
	maxExponent = 400
	maxDigits   = 800

	maxPlainDigits = 21 // digits of a whole number that JavaScript prints without an exponent
)

// Decimal is an exact decimal number: coefficient × 10^exponent. The zero value is 0.
type Decimal struct {
	small    int64
	exponent int
	large    *big.Int // replaces small if the coefficient does not fit; never changed after it is set
}

// ParseDecimal parses a JSON number. It returns false for any other text, and for a number outside the bounds.
func ParseDecimal(text []byte) (Decimal, bool) {
	mantissa, exponent := text, 0
	if i := bytes.IndexAny(text, "eE"); i >= 0 {
		var err error
		if exponent, err = strconv.Atoi(string(text[i+1:])); err != nil || max(exponent, -exponent) > maxExponent {
			return Decimal{}, false
		}
		mantissa = text[:i]
	}
	unsigned, isNegative := bytes.CutPrefix(mantissa, []byte("-"))
	whole, fraction, hasPoint := bytes.Cut(unsigned, []byte("."))
	if len(whole) == 0 || hasPoint && len(fraction) == 0 || len(mantissa) > maxDigits {
		return Decimal{}, false
	}
	d, fits := Decimal{exponent: exponent - len(fraction)}, true
	for _, digits := range [][]byte{whole, fraction} {
		for _, digit := range digits {
			if digit < '0' || digit > '9' {
				return Decimal{}, false
			}
			if fits = fits && d.small <= (math.MaxInt64-9)/10; fits {
				d.small = d.small*10 + int64(digit-'0')
			}
		}
	}
	if isNegative {
		d.small = -d.small
	}
	if !fits {
		d.large, _ = new(big.Int).SetString(string(bytes.ReplaceAll(mantissa, []byte("."), nil)), 10)
	}
	return d, true
}

// coefficient returns the coefficient for another exponent, which must not exceed d.exponent.
func (d Decimal) coefficient(exponent int) *big.Int {
	scaled := d.large
	if scaled == nil {
		scaled = big.NewInt(d.small)
	}
	if d.exponent == exponent {
		return scaled
	}
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(d.exponent-exponent)), nil)
	return power.Mul(power, scaled)
}

// aligned returns the coefficients of two numbers for their common exponent. fits is false on overflow.
func aligned(a, b Decimal) (left, right int64, exponent int, fits bool) {
	if a.large != nil || b.large != nil {
		return 0, 0, 0, false
	}
	left, right, exponent = a.small, b.small, min(a.exponent, b.exponent)
	left, fits = scaled(left, a.exponent-exponent)
	if !fits {
		return 0, 0, 0, false
	}
	right, fits = scaled(right, b.exponent-exponent)
	return left, right, exponent, fits
}

// scaled returns a number times a power of ten. It returns false on overflow.
func scaled(number int64, power int) (int64, bool) {
	for ; power > 0 && number != 0; power-- {
		if number > math.MaxInt64/10 || number < math.MinInt64/10 {
			return 0, false
		}
		number *= 10
	}
	return number, true
}

// Add returns the exact sum.
func (d Decimal) Add(other Decimal) Decimal {
	if left, right, exponent, fit := aligned(d, other); fit {
		if sum := left + right; (sum > left) == (right > 0) {
			return Decimal{small: sum, exponent: exponent}
		}
	}
	exponent := min(d.exponent, other.exponent)
	return Decimal{large: new(big.Int).Add(d.coefficient(exponent), other.coefficient(exponent)), exponent: exponent}
}

// Compare returns -1, 0 or +1 if the number is less than, equal to or greater than another one.
func (d Decimal) Compare(other Decimal) int {
	if left, right, _, fit := aligned(d, other); fit {
		return cmp.Compare(left, right)
	}
	exponent := min(d.exponent, other.exponent)
	return d.coefficient(exponent).Cmp(other.coefficient(exponent))
}

// Magnitude returns the number without its sign.
func (d Decimal) Magnitude() Decimal {
	if d.Compare(Decimal{}) >= 0 {
		return d
	}
	return Decimal{large: new(big.Int).Abs(d.coefficient(d.exponent)), exponent: d.exponent}
}

// Append appends the number as JSON, with all its digits. Like JavaScript, it writes an exponent for a number beyond
// 10^21 that ends in zeros.
func (d Decimal) Append(out []byte) []byte {
	digits, exponent := d.coefficient(d.exponent).String(), d.exponent
	digits, negative := strings.CutPrefix(digits, "-")
	trimmed := strings.TrimRight(digits, "0")
	if trimmed == "" {
		return append(out, '0')
	}
	exponent += len(digits) - len(trimmed)
	if negative {
		out = append(out, '-')
	}
	switch whole := len(trimmed) + exponent; { // digits before the point
	case whole > maxPlainDigits && exponent > 0:
		out = append(out, trimmed[0])
		if len(trimmed) > 1 {
			out = append(append(out, '.'), trimmed[1:]...)
		}
		return strconv.AppendInt(append(out, "e+"...), int64(whole-1), 10)
	case exponent >= 0:
		return append(append(out, trimmed...), strings.Repeat("0", exponent)...)
	case whole > 0:
		return append(append(append(out, trimmed[:whole]...), '.'), trimmed[whole:]...)
	default:
		return append(append(append(out, "0."...), strings.Repeat("0", -whole)...), trimmed...)
	}
}
