package office

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// numberFormat is a number format of a cell. Colours, conditions and alignment change no text and are left out.
type numberFormat struct {
	negative           *numberFormat // of negative numbers without their sign, if there is one
	text               string        // with a placeholder for the number
	scale              float64       // such as 100 for percent
	integers, decimals int           // minimum digits before the point, and digits after it
	isGeneral          bool          // as many digits as the number needs; also for fractions, exponents and optional decimals
	isGrouped          bool
	letters            string // of a date or a time
	isElapsed          bool   // hours continue after 23
}

// placeholder is replaced by the number. XML cannot contain it.
const placeholder = "\x00"

// standardFormats are the built-in formats, whose codes files omit (ECMA-376, part 1, section 18.8.30).
var standardFormats = map[string]string{
	"1": "0", "2": "0.00", "3": "#,##0", "4": "#,##0.00", "9": "0%", "10": "0.00%", "14": "yyyy-mm-dd", "15": "yyyy-mm-dd", "16": "yyyy-mm-dd",
	"17": "yyyy-mm-dd", "18": "h:mm", "19": "h:mm", "20": "h:mm", "21": "h:mm", "22": "yyyy-mm-dd h:mm", "37": "#,##0", "38": "#,##0",
	"39": "#,##0.00", "40": "#,##0.00", "41": "#,##0", "42": "$#,##0", "43": "#,##0.00", "44": "$#,##0.00", "45": "h:mm", "46": "[h]:mm", "47": "h:mm",
}

// formatTokens are literals, currencies such as [$€-407], fillers, elapsed hours, colours and conditions, words, numbers and single
// letters.
var formatTokens = regexp.MustCompile(
	`(?is)"([^"]*)"?|\\(.)|\[\$([^\]-]*)[^\]]*\]|[_*].|\[[^\]]*\]?|am/pm|general|e[+-]|([0#?][0#?,]*)(?:\.([0#?]*))?(,*)|.`)

func readNumberFormat(code string) *numberFormat {
	f := &numberFormat{scale: 1}
	section := f
	for _, token := range formatTokens.FindAllStringSubmatch(code, -1) {
		switch {
		case token[0] != ";":
			section.add(token)
		case f.negative != nil: // the section of zero
			return f
		default:
			section = &numberFormat{scale: 1}
			f.negative = section
		}
	}
	return f
}

func (f *numberFormat) add(token []string) {
	whole, fraction := token[4], token[5]
	switch lower := strings.ToLower(token[0]); {
	case whole != "" && !strings.Contains(f.text, placeholder):
		grouped := strings.TrimRight(whole, ",")
		f.text, f.isGrouped = f.text+placeholder, strings.Contains(grouped, ",")
		f.scale /= math.Pow(1000, float64(len(whole)-len(grouped)+len(token[6])))
		f.integers, f.decimals = min(strings.Count(whole, "0"), 30), min(len(fraction), 30)
		f.isGeneral = strings.ContainsAny(fraction, "#?")
	case whole != "", lower == "general", lower == "@", lower == "/", lower == "e+", lower == "e-":
		before, _, _ := strings.Cut(f.text, placeholder)
		f.text, f.isGeneral = before+placeholder, true
	case strings.Contains("ymdhse", lower):
		f.letters += lower
	case lower[0] == '[' && token[3] == "":
		f.isElapsed = f.isElapsed || strings.Trim(lower, "[hms]") == ""
	case lower == "am/pm", len(lower) > 1 && (lower[0] == '_' || lower[0] == '*'):
	case lower[0] == '"', lower[0] == '\\', lower[0] == '[':
		f.text += token[1] + token[2] + token[3]
	case lower == "%":
		f.scale *= 100
		f.text += lower
	default:
		f.text += token[0]
	}
}

// display returns a number as the format displays it, and a date or a time in the form of ISO 8601.
func (f *numberFormat) display(value float64, is1904 bool) string {
	sign := ""
	switch {
	case f == nil:
		return general(value)
	case f.letters != "" || f.isElapsed:
		return f.moment(value, is1904)
	case value < 0 && f.negative != nil:
		return f.negative.display(-value, is1904)
	case value < 0:
		sign, value = "-", -value
	}
	return sign + strings.Replace(f.text, placeholder, f.number(value*f.scale), 1)
}

// general returns a number with the 15 digits that Excel keeps.
func general(value float64) string { return strconv.FormatFloat(value, 'G', 15, 64) }

func (f *numberFormat) number(value float64) string {
	if f.isGeneral {
		return general(value)
	}
	if value < 1e15 {
		value *= 1 + 1e-15 // a half in decimal digits, such as 2.675, is often less in binary ones
	}
	whole, fraction, hasPoint := strings.Cut(strconv.FormatFloat(value, 'f', f.decimals, 64), ".")
	whole = strings.Repeat("0", max(0, f.integers-len(whole))) + whole
	for i := len(whole) - 3; f.isGrouped && i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if hasPoint {
		return whole + "." + fraction
	}
	return whole
}

// Excel counts days from 30 December 1899 or from 1904. The first system counts a 29 February 1900, which did not exist.
const (
	days1970    = 25_569
	days1904    = 1462
	leapDay1900 = 60
	lastDay     = 2_958_466 // the end of the year 9999
)

// moment returns a date, a time or both. The letter m is a minute next to hours or seconds, otherwise a month.
func (f *numberFormat) moment(value float64, is1904 bool) string {
	if !(value >= 0 && value < lastDay-days1904) {
		return general(value)
	}
	seconds := int64(math.Round(value * 86_400))
	first := int64(-days1970) // in days since 1970
	if is1904 {
		first += days1904
	} else if value < leapDay1900 {
		first++
	}
	moment := time.Unix(first*86_400+seconds, 0).UTC()
	switch {
	case f.isElapsed:
		return fmt.Sprintf("%02d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
	case !strings.ContainsAny(f.letters, "hs"):
		return moment.Format(time.DateOnly)
	case !strings.ContainsAny(f.letters, "yde"):
		return moment.Format(time.TimeOnly)
	}
	return moment.Format("2006-01-02T15:04:05")
}
