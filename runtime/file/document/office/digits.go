package office

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// digits says how a number format writes the digits of a number.
type digits struct {
	code      string // nothing if the format has no number
	isGeneral bool   // as many digits as the number needs
	shift     int    // decimal places that the point moves to the right, such as 2 for percent
	integers  int    // minimum digits before the point
	// digits after the point, and the ones of these that are omitted if they are zeros at the end
	decimals, optional int
	isGrouped          bool

	isMixed     bool   // a fraction after a whole number
	denominator string // of a fraction: its digits or its value
}

// maxDigits bounds the digits of each kind.
const maxDigits = 30

func readDigits(token []string, shift int) digits {
	d := digits{code: token[0], shift: shift, denominator: token[denominator], isMixed: token[mixedWhole] != ""}
	if token[whole] == "" {
		d.isGeneral = d.denominator == ""
		return d
	}
	grouped := strings.TrimRight(token[whole], ",")
	d.isGrouped = strings.Contains(grouped, ",")
	d.shift -= 3 * (len(token[whole]) - len(grouped) + len(token[scaling]))
	d.integers = min(strings.Count(grouped, "0"), maxDigits)
	d.decimals = min(len(token[fraction]), maxDigits)
	d.optional = d.decimals - min(strings.LastIndex(token[fraction], "0")+1, d.decimals)
	return d
}

// display returns a number that is not negative, or false if the format cannot show it.
func (d digits) display(value float64) (string, bool) {
	switch {
	case d.denominator != "":
		return d.fraction(value)
	case d.isGeneral && d.shift == 0:
		return general(value), true
	case d.isGeneral:
		return "", false
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(value, 'e', 14, 64), "e") // the digits that Excel keeps
	exact, isNumber := new(big.Rat).SetString(mantissa + "e" + strconv.Itoa(number(exponent, 0)+d.shift))
	if !isNumber {
		return "", false
	}
	before, after, _ := strings.Cut(exact.FloatString(d.decimals), ".") // rounds halves up
	after = after[:d.decimals-d.optional] + strings.TrimRight(after[d.decimals-d.optional:], "0")
	before = strings.Repeat("0", max(0, d.integers-len(before))) + before
	for i := len(before) - 3; d.isGrouped && i > 0; i -= 3 {
		before = before[:i] + "," + before[i:]
	}
	if after != "" {
		return before + "." + after, true
	}
	return before, true
}

// masked returns a number with its digits in the places of the mask, from the right, and further digits in the first
// places. It shows a number raw that is not whole, is negative or has fewer digits than places that are not zeros.
func (s *section) masked(value float64) string {
	digits := strconv.FormatFloat(value, 'f', -1, 64)
	places := 0
	for i := 0; i < len(s.mask); i += 2 {
		places += len(s.mask[i])
	}
	isZeros := strings.Trim(s.mask[0], "0") == ""
	if strings.ContainsAny(digits, "-.") || value >= exactWhole || len(digits) < places && !isZeros {
		return general(value)
	}
	digits = strings.Repeat("0", max(0, places-len(digits))) + digits
	text := ""
	for i := len(s.mask) - 1; i > 0; i -= 2 {
		split := len(digits) - len(s.mask[i])
		text = s.mask[i-1] + digits[split:] + text
		digits = digits[:split]
	}
	return strings.TrimSpace(s.before + digits + text + s.after)
}

// exactWhole bounds the whole numbers whose digits Excel keeps.
const exactWhole = 1e15

// maxFraction bounds the numbers that are shown as fractions, and maxDenominator the digits of their denominators.
const (
	maxFraction    = 1e9
	maxDenominator = 4
)

func (d digits) fraction(value float64) (string, bool) {
	if value >= maxFraction || len(d.denominator) > maxDenominator || d.shift != 0 {
		return "", false
	}
	units := 0.0
	if d.isMixed {
		units = math.Floor(value)
	}
	over, under := nearestFraction(value-units, int64(math.Pow10(len(d.denominator)))-1)
	if fixed, err := strconv.ParseInt(d.denominator, 10, 64); err == nil && fixed > 0 {
		over, under = int64(math.Round((value-units)*float64(fixed))), fixed
	}
	whole := strconv.FormatFloat(units, 'f', 0, 64)
	switch {
	case d.isMixed && over == 0:
		return whole, true
	case d.isMixed && over == under:
		return strconv.FormatFloat(units+1, 'f', 0, 64), true
	}
	text := strconv.FormatInt(over, 10) + "/" + strconv.FormatInt(under, 10)
	if units > 0 {
		text = whole + " " + text
	}
	return text, true
}

// nearestFraction returns the fraction with a denominator up to a limit that is nearest to a number, by its continued
// fraction.
func nearestFraction(value float64, limit int64) (over, under int64) {
	const exact = 1e-9
	over0, under0, over1, under1 := int64(0), int64(1), int64(1), int64(0)
	for rest := value; ; {
		whole := int64(rest)
		next := under0 + whole*under1
		if next > limit {
			break
		}
		over0, under0, over1, under1 = over1, under1, over0+whole*over1, next
		if rest -= float64(whole); rest < exact {
			return over1, under1
		}
		rest = 1 / rest
	}
	steps := (limit - under0) / under1
	over0, under0 = over0+steps*over1, under0+steps*under1
	if math.Abs(float64(over0)/float64(under0)-value) < math.Abs(float64(over1)/float64(under1)-value) {
		return over0, under0
	}
	return over1, under1
}
