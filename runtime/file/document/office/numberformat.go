package office

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// numberFormat has the sections of a number format for numbers (ECMA-376, part 1, section 18.8.31). An empty format
// shows the raw number. So does every format that is not understood, because a raw number is never a wrong one.
type numberFormat []*section

// section is one section of a number format. It applies to the numbers that meet its condition.
type section struct {
	operator      string // of the condition, if it has one
	bound         float64
	before, after string // literals around the number
	words         string // letters and symbols of the literals, except currencies
	digits        digits
	mask          []string // of digits such as 000-00-0000: places and literals in turn
	isText        bool     // it has a place for text
	letters       string   // of a date or a time
	isElapsed     bool     // hours continue after 23
	subSeconds    int      // digits of a second's fraction
	isUnknown     bool
}

// standardFormats are the built-in formats, whose codes files omit (ECMA-376, part 1, section 18.8.30). The currency of
// 42 and 44 depends on the machine, and some others depend on the language.
var standardFormats = map[string]string{
	"1": "0", "2": "0.00", "3": "#,##0", "4": "#,##0.00", "9": "0%", "10": "0.00%", "12": "# ?/?", "13": "# ??/??",
	"14": "yyyy-mm-dd", "15": "yyyy-mm-dd", "16": "yyyy-mm-dd", "17": "yyyy-mm-dd", "18": "h:mm", "19": "h:mm",
	"20": "h:mm", "21": "h:mm",
	"22": "yyyy-mm-dd h:mm", "27": "yyyy-mm-dd", "28": "yyyy-mm-dd", "29": "yyyy-mm-dd", "30": "yyyy-mm-dd",
	"31": "yyyy-mm-dd",
	"32": "h:mm", "33": "h:mm", "36": "yyyy-mm-dd", "37": "#,##0", "38": "#,##0", "39": "#,##0.00",
	"40": "#,##0.00", "41": "#,##0",
	"42": "#,##0", "43": "#,##0.00", "44": "#,##0.00", "45": "mm:ss", "46": "[h]:mm", "47": "mm:ss.0", "50": "yyyy-mm-dd",
	"51": "yyyy-mm-dd",
	"52": "yyyy-mm-dd", "53": "yyyy-mm-dd", "54": "yyyy-mm-dd", "57": "yyyy-mm-dd", "58": "yyyy-mm-dd",
}

// formatTokens are, in this order: literals, currencies such as [$€-407], other brackets, fillers, halves of a day,
// General, exponents, fractions, fractions of a second, numbers, and single characters.
var formatTokens = regexp.MustCompile(
	`(?is)"([^"]*)"?|\\(.)|\[\$([^\]-]*)[^\]]*\]|\[([^\]]*)\]?|[_*].|am/pm|a/p|上午/下午|general|e[+-]|` +
		`(?:([0#?]+)(?: |\\ |" ")+)?([0#?]+)/([0#?]+|[1-9][0-9]*)|(s)\.(0+)|([0#?][0#?,]*)(?:\.([0#?]*))?(,*)|.`)

// The groups of formatTokens.
const (
	_ = iota
	quoted
	escaped
	currency
	bracket
	mixedWhole
	numerator
	denominator
	second
	subSecond
	whole
	fraction
	scaling
)

// maxCode bounds the bytes of a format's code. Excel allows 255 characters.
const maxCode = 600

func readNumberFormat(code string) numberFormat {
	if len(code) > maxCode {
		return nil
	}
	sections := numberFormat{{}}
	for _, token := range formatTokens.FindAllStringSubmatch(code, -1) {
		if token[0] == ";" {
			sections = append(sections, &section{})
		} else {
			sections[len(sections)-1].add(token)
		}
	}
	if last := len(sections) - 1; last > 0 && (last == 3 || sections[last].isText) {
		sections = sections[:last] // for text
	}
	hasCondition := false
	for i, s := range sections {
		if s.operator != "" {
			hasCondition = true
		}
		if !s.isUnderstood() || i > 2 || hasCondition && s.operator == "" && i < len(sections)-1 {
			return nil
		}
	}
	return sections
}

var (
	condition = regexp.MustCompile(`^(<|<=|>|>=|<>|=)\s*(-?[0-9.]+(?:E[+-]?[0-9]+)?)$`)
	elapsed   = regexp.MustCompile(`^(?i:h+|m+|s+)$`)
	noEffect  = regexp.MustCompile(
		`^(?i:black|blue|cyan|green|magenta|red|white|yellow|color ?[0-9]+|dbnum[0-9]|natnum[0-9]+)$`)
)

func (s *section) add(token []string) {
	switch lower := strings.ToLower(token[0]); {
	case lower[0] == '"', lower[0] == '\\':
		s.literal(token[quoted] + token[escaped])
		s.words += strings.Map(wordRune, token[quoted]+token[escaped])
	case strings.HasPrefix(lower, "[$"):
		s.literal(token[currency])
	case lower[0] == '[':
		s.addBracket(token[bracket])
	case len(lower) > 1 && (lower[0] == '_' || lower[0] == '*'), lower == "am/pm", lower == "a/p",
		lower == "上午/下午":
	case lower == "e+", lower == "e-":
		s.digits.isGeneral = true // more exact than the digits of the format
		s.isUnknown = s.isUnknown || s.digits.code == ""
	case token[second] != "":
		s.letters, s.subSeconds = s.letters+"s", len(token[subSecond])
	case s.isMasked(token):
		s.mask = append(s.mask, s.after, token[whole])
		s.after = ""
	case token[numerator] != "", token[whole] != "", lower == "general":
		s.isUnknown = s.isUnknown || token[fraction] != "" && strings.HasSuffix(token[whole], ",") // programs differ
		isExponent := s.digits.isGeneral && s.digits.code != "" && s.after == ""
		s.isUnknown = s.isUnknown || s.digits.code != "" && !isExponent
		if !isExponent {
			s.digits = readDigits(token, s.digits.shift)
			s.mask = []string{token[whole]}
		}
	case lower == "@":
		s.isText = true
	case strings.Contains("ymdhsegab", lower):
		s.letters += lower
	case lower == "%":
		s.digits.shift += 2
		s.literal("%")
	case lower == "." && s.letters == "", 'a' <= lower[0] && lower[0] <= 'z':
		s.isUnknown = true
	default:
		s.literal(token[0])
		s.words += strings.Map(wordRune, token[0])
	}
}

// isMasked reports whether a number continues the places for digits before a literal.
func (s *section) isMasked(token []string) bool {
	isPlain := func(code string) bool { return code != "" && strings.Trim(code, "0#?") == "" }
	return isPlain(token[0]) && isPlain(s.digits.code) && s.after != "" && s.digits.shift == 0
}

// isUnderstood reports whether the section is for a number, a date or a time, and not for a mixture with letters that
// no literal quotes.
func (s *section) isUnderstood() bool {
	isMoment := strings.ContainsAny(s.letters, "ymdhse") || strings.Contains(s.letters, "aaa")
	return !s.isUnknown && (s.letters == "" || isMoment && s.digits.code == "")
}

func (s *section) literal(text string) {
	if s.digits.code == "" {
		s.before += text
	} else {
		s.after += text
	}
}

// wordRune keeps letters and symbols such as arrows, which can say that a number is negative.
func wordRune(r rune) rune {
	if unicode.IsLetter(r) || unicode.Is(unicode.So, r) || unicode.Is(unicode.Sm, r) && r != '+' && r != minus {
		return r
	}
	return -1
}

func (s *section) addBracket(inner string) {
	parts := condition.FindStringSubmatch(strings.ToUpper(strings.TrimSpace(inner)))
	switch {
	case parts != nil:
		bound, err := strconv.ParseFloat(parts[2], 64)
		s.operator, s.bound, s.isUnknown = parts[1], bound, s.isUnknown || err != nil
	case elapsed.MatchString(inner):
		s.isElapsed = true
	default:
		s.isUnknown = s.isUnknown || !noEffect.MatchString(inner)
	}
}

// holds reports whether the section is for a number.
func (s *section) holds(value float64) bool {
	switch s.operator {
	case "<":
		return value < s.bound
	case "<=":
		return value <= s.bound
	case ">":
		return value > s.bound
	case ">=":
		return value >= s.bound
	case "<>":
		return value != s.bound
	case "=":
		return value == s.bound
	}
	return true
}

// section returns the section for a number, or nil.
func (f numberFormat) section(value float64) *section {
	hasCondition := false
	for _, s := range f {
		if hasCondition = hasCondition || s.operator != ""; hasCondition && s.holds(value) {
			return s
		}
	}
	switch {
	case hasCondition, len(f) == 0:
		return nil
	case value < 0 && len(f) > 1:
		return f[1]
	case value == 0 && len(f) > 2:
		return f[2]
	}
	return f[0]
}

// display returns a number as the format displays it, and a date or a time in the form of ISO 8601. A negative number
// always has a sign, even if only its colour shows that in the file.
func (f numberFormat) display(value float64, is1904 bool) string {
	s := f.section(value)
	switch {
	case s == nil:
		return general(value)
	case len(s.mask) > 1:
		return s.masked(value)
	case s.letters != "" || s.isElapsed:
		return s.moment(value, is1904)
	case s.digits.code == "" && !s.isText && (s.before != "" || value == 0):
		return strings.TrimSpace(s.before)
	case s.digits.code == "" && s.before == "", s.hasSign() && (value > 0 || value < 0 && f.section(-value) == s):
		return general(value)
	case value == 0 && s.before+s.after != "" && strings.Trim(s.digits.code, "#?") == "":
		return strings.TrimSpace(s.before + s.after)
	}
	number, isShown := s.digits.display(math.Abs(value))
	switch {
	case !isShown:
		return general(value)
	case value < 0 && !s.hasSign() && !f.saysSign(s, value):
		return "-" + strings.TrimSpace(s.before+number+s.after)
	}
	return strings.TrimSpace(s.before + number + s.after)
}

// saysSign reports whether the words around a negative number, such as debit, are others than those around a positive
// number.
func (f numberFormat) saysSign(s *section, value float64) bool {
	positive := f.section(-value)
	return positive != nil && positive.operator == "" && s.operator == "" && s.words != "" && positive.words != "" &&
		s.words != positive.words
}

const minus = '\u2212'

// hasSign reports whether the literals show that the number is negative: a minus or a parenthesis before it, or a minus
// after it.
func (s *section) hasSign() bool {
	before := strings.TrimSpace(s.before)
	isSign := func(text string) bool { return strings.HasPrefix(text, "-") || strings.HasPrefix(text, string(minus)) }
	return isSign(before) || isSign(strings.TrimSpace(s.after)) || strings.HasPrefix(before, "(") ||
		strings.HasSuffix(before, "-") || strings.HasSuffix(before, string(minus)) || strings.HasSuffix(before, "(")
}

// general returns a number with the 15 digits that Excel keeps.
func general(value float64) string { return strconv.FormatFloat(value, 'G', 15, 64) }
