package office

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// numberFormat is a number format of a cell: sections for positive numbers, negative ones and zero.
type numberFormat []section

// section is a section of a number format. Colours, conditions and alignment change no text and are left out.
type section struct {
	before, after       string // text around the number
	scale               float64
	integers            int // digits before the point at least
	decimals, optional  int // digits behind the point; the last ones that are left out when they are zero
	hasPoint, hasDigits bool
	commas              int    // that divide by 1000, unless a digit follows
	parts               string // letters of a date or a time
	isGeneral           bool
	isGrouped           bool
	isScientific        bool
	hasDate, hasTime    bool
	isElapsed           bool // hours are not those of a day
}

// standardFormats are the formats whose codes files do not have (ECMA-376, part 1, section 18.8.30).
var standardFormats = map[int]string{
	1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 14: "yyyy-mm-dd", 15: "yyyy-mm-dd", 16: "yyyy-mm-dd",
	17: "yyyy-mm-dd", 18: "h:mm", 19: "h:mm:ss", 20: "h:mm", 21: "h:mm:ss", 22: "yyyy-mm-dd h:mm", 37: "#,##0;(#,##0)", 38: "#,##0;(#,##0)",
	39: "#,##0.00;(#,##0.00)", 40: "#,##0.00;(#,##0.00)", 41: "#,##0;(#,##0)", 42: "$#,##0;($#,##0)", 43: "#,##0.00;(#,##0.00)",
	44: "$#,##0.00;($#,##0.00)", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0", 5: "$#,##0;($#,##0)", 6: "$#,##0;($#,##0)",
	7: "$#,##0.00;($#,##0.00)", 8: "$#,##0.00;($#,##0.00)",
}

// maxCode bounds the length of a format code. Excel's own bound is 255 characters.
const maxCode = 1024

// codeTokens are the tokens of a format code: literals, what takes the width of a letter, brackets, exponents, words and single letters.
var codeTokens = regexp.MustCompile(`(?is)"[^"]*"?|\\.|[_*].|\[[^\]]*\]?|E[+-][0#?]+|General|AM/PM|.`)

func readNumberFormat(code string) numberFormat {
	var format numberFormat
	s := section{scale: 1}
	for _, token := range codeTokens.FindAllString(code[:min(len(code), maxCode)], -1) {
		if token == ";" {
			format = append(format, s.finished())
			s = section{scale: 1}
			continue
		}
		s.add(token)
	}
	return append(format, s.finished())
}

func (s *section) add(token string) {
	lower := strings.ToLower(token)
	switch first := token[0]; {
	case first == '"':
		s.literal(strings.Trim(token, `"`))
	case len(token) > 1 && first == '\\':
		s.literal(token[1:])
	case len(token) > 1 && (first == '_' || first == '*') || lower == "am/pm":
	case first == '[':
		inside := strings.Trim(lower, "[]")
		if strings.HasPrefix(inside, "$") { // such as [$€-407]
			currency, _, _ := strings.Cut(strings.Trim(token, "[]")[1:], "-")
			s.literal(currency)
		} else if inside != "" && strings.Trim(inside, "hms") == "" {
			s.isElapsed = true
		}
	case strings.Contains("0#?", token):
		s.digit(first == '0')
	case first == '.':
		s.hasPoint = true
	case first == ',' && s.hasDigits:
		s.commas++
	case first == '%':
		s.scale *= 100
		s.literal(token)
	case len(token) > 1 && lower[0] == 'e':
		s.isScientific = true
	case lower == "general", first == '/' && s.hasDigits, first == '@': // a fraction is shown as a decimal number
		s.isGeneral, s.hasDigits = true, true
	case strings.Contains("ymdhse", lower):
		s.parts += lower
	default:
		s.literal(token)
	}
}

func (s *section) literal(text string) {
	if s.hasDigits {
		s.after += text
	} else {
		s.before += text
	}
}

func (s *section) digit(isRequired bool) {
	s.hasDigits = true
	s.isGrouped, s.commas = s.isGrouped || s.commas > 0, 0
	switch {
	case s.hasPoint && isRequired:
		s.decimals, s.optional = s.decimals+1, 0
	case s.hasPoint:
		s.decimals, s.optional = s.decimals+1, s.optional+1
	case isRequired:
		s.integers++
	}
}

// finished sets what a date or a time shows. The letter m is a minute next to hours or seconds, otherwise a month.
func (s section) finished() section {
	s.hasTime = strings.ContainsAny(s.parts, "hs") || s.isElapsed
	s.hasDate = strings.ContainsAny(s.parts, "yde") || strings.Contains(s.parts, "m") && !s.hasTime
	s.decimals, s.integers = min(s.decimals, 30), min(s.integers, 30)
	s.scale /= math.Pow(1000, float64(s.commas))
	return s
}

// display returns a number as the format displays it, and a date or a time in the form of ISO 8601.
func (n numberFormat) display(value float64, is1904 bool) string {
	s, sign := n[0], ""
	switch {
	case value < 0 && len(n) > 1:
		s, value = n[1], -value
	case value == 0 && len(n) > 2:
		s = n[2]
	case value < 0:
		sign, value = "-", -value
	}
	switch {
	case s.hasDate || s.hasTime:
		if text := s.moment(value, is1904); text != "" && sign == "" {
			return text
		}
		return sign + general(value)
	case s.isGeneral:
		return sign + s.before + general(value) + s.after
	case !s.hasDigits:
		return sign + s.before
	}
	return sign + s.before + s.number(value*s.scale) + s.after
}

// general returns a number with the 15 digits that Excel keeps.
func general(value float64) string { return strconv.FormatFloat(value, 'G', 15, 64) }

func (s section) number(value float64) string {
	if s.isScientific {
		return strconv.FormatFloat(value, 'E', s.decimals, 64)
	}
	if value < 1e15 {
		value *= 1 + 1e-15 // a half in decimal digits, such as 2.675, is often less in binary ones
	}
	whole, fraction, _ := strings.Cut(strconv.FormatFloat(value, 'f', s.decimals, 64), ".")
	if whole == "0" && s.integers == 0 {
		whole = ""
	}
	whole = strings.Repeat("0", max(0, s.integers-len(whole))) + whole
	for i := len(whole) - 3; s.isGrouped && i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	for range s.optional {
		fraction = strings.TrimSuffix(fraction, "0")
	}
	if fraction == "" {
		return whole
	}
	return whole + "." + fraction
}

// Days are counted from these two. Excel's first system counts a 29 February 1900 that never was.
const (
	days1904    = 1462
	leapDay1900 = 60
	lastDay     = 2_958_466 // the end of the year 9999
)

// moment returns a date, a time or both, or nothing for a number out of range.
func (s section) moment(value float64, is1904 bool) string {
	if is1904 && !s.isElapsed {
		value += days1904
	}
	if value >= lastDay || math.IsNaN(value) {
		return ""
	}
	seconds := int64(math.Round(value * 86_400))
	if s.isElapsed {
		return fmt.Sprintf("%02d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
	}
	day := time.Date(1899, time.December, 30, 0, 0, 0, 0, time.UTC)
	if value < leapDay1900 {
		day = day.AddDate(0, 0, 1)
	}
	moment := day.AddDate(0, 0, int(seconds/86_400)).Add(time.Duration(seconds%86_400) * time.Second)
	switch {
	case !s.hasTime:
		return moment.Format(time.DateOnly)
	case !s.hasDate:
		return moment.Format(time.TimeOnly)
	}
	return moment.Format("2006-01-02T15:04:05")
}
