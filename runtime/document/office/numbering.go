package office

import (
	"strconv"
	"strings"
)

// maxLevel is the number of levels that lists have in both families of formats.
const maxLevel = 10

// level says how the items of a list level are numbered. The text has %1 for the number of the first level and so on.
type level struct {
	format, text string
	start        int
}

// bullet is the level of a list without numbers.
var bullet = level{text: "-"}

// list is a numbered list, or one with bullets.
type list struct {
	levels [maxLevel]level
	counts [maxLevel]int
}

// numbering numbers the items of lists by name.
type numbering map[string]*list

// set describes a level, from 0, of a list.
func (n numbering) set(name string, depth int, l level) {
	if depth < 0 || depth >= maxLevel {
		return
	}
	if n[name] == nil {
		n[name] = &list{}
	}
	n[name].levels[depth] = l
}

func (n numbering) restart(name string) {
	if known := n[name]; known != nil {
		clear(known.counts[:])
	}
}

// next returns the prefix of the next item at a level of a list, such as "2.1. " or "- ".
func (n numbering) next(name string, depth int) string {
	depth = min(max(depth, 0), maxLevel-1)
	text, known := bullet.text, n[name]
	if known != nil {
		known.counts[depth]++
		clear(known.counts[depth+1:])
		text = known.levels[depth].text
		for i := depth; i >= 0; i-- { // an outer level without an item counts as its first
			number := known.levels[i].start + max(known.counts[i], 1) - 1
			text = strings.ReplaceAll(text, "%"+strconv.Itoa(i+1), numeral(number, known.levels[i].format))
		}
	}
	if text == "" {
		return ""
	}
	return strings.Repeat("  ", depth) + text + " "
}

// numeral writes a number in a format of Office Open XML or OpenDocument. Formats of other scripts are decimal here.
func numeral(number int, format string) string {
	text := strconv.Itoa(number)
	switch format {
	case "lowerLetter", "upperLetter", "a", "A": // a to z, then aa to zz
		if number > 0 && number < 1000 {
			text = strings.Repeat(string(rune('A'+(number-1)%26)), (number-1)/26+1)
		}
	case "lowerRoman", "upperRoman", "i", "I":
		if number > 0 && number < 4000 {
			text = roman(number)
		}
	}
	if strings.HasPrefix(format, "lower") || format == "a" || format == "i" {
		return strings.ToLower(text)
	}
	return text
}

var romans = []struct {
	value int
	text  string
}{
	{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"},
}

func roman(number int) string {
	text := ""
	for _, r := range romans {
		for ; number >= r.value; number -= r.value {
			text += r.text
		}
	}
	return text
}
