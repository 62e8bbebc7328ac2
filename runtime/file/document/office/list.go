package office

import (
	"strconv"
	"strings"
)

// maxLevel is the number of levels that lists and headings have in both families of formats.
const maxLevel = 10

// level says how the items of a list level are numbered.
type level struct {
	format string // bullet, or a key of numerals; otherwise decimal
	text   string // with %1 for the number of the first level and so on
	start  int
}

const (
	bullet = "bullet" // a format
	dash   = "-"
)

type list struct {
	levels [maxLevel]level
	counts [maxLevel]int
}

// level returns a level from 0. Levels out of range are the nearest one.
func (l *list) level(depth int) *level { return &l.levels[min(max(depth, 0), maxLevel-1)] }

// next returns the prefix of the next item at a level from 0, such as "2.1. " or "- ".
func (l *list) next(depth int) string {
	depth = min(max(depth, 0), maxLevel-1)
	text := dash
	if l != nil {
		l.counts[depth]++
		clear(l.counts[depth+1:])
		if l.levels[depth].format != bullet {
			text = l.levels[depth].text
		}
		for i := depth; i >= 0; i-- { // an outer level without an item counts as its first
			number := l.levels[i].start + max(l.counts[i], 1) - 1
			text = strings.ReplaceAll(text, "%"+strconv.Itoa(i+1), numeral(number, l.levels[i].format))
		}
	}
	if text == "" {
		return ""
	}
	return strings.Repeat("  ", depth) + text + " "
}

const (
	letters = "a b c d e f g h i j k l m n o p q r s t u v w x y z"
	romans  = "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx"
)

// numerals are the first numbers in formats of Office Open XML and OpenDocument.
var numerals = map[string]string{
	"lowerLetter": letters, "a": letters, "upperLetter": strings.ToUpper(letters), "A": strings.ToUpper(letters),
	"lowerRoman": romans, "i": romans, "upperRoman": strings.ToUpper(romans), "I": strings.ToUpper(romans),
}

// numeral writes a number in a format. Higher numbers and other formats are decimal.
func numeral(number int, format string) string {
	if known := strings.Fields(numerals[format]); number > 0 && number <= len(known) {
		return known[number-1]
	}
	return strconv.Itoa(number)
}

// headingPrefix returns the prefix of a heading of a level from 1, with its number.
func headingPrefix(depth int, number string) string {
	return strings.Repeat("#", min(max(depth, 1), maxLevel)) + " " +
		strings.TrimPrefix(strings.TrimLeft(number, " "), dash+" ")
}
