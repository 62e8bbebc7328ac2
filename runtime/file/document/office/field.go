package office

import (
	"slices"
	"strconv"
	"strings"
)

// The states of check boxes.
const (
	checked   = "☑"
	unchecked = "☐"
)

func checkBox(isChecked bool) string {
	if isChecked {
		return checked
	}
	return unchecked
}

// field is an open complex field of WordprocessingML. Its result follows its code.
type field struct {
	code  string
	value string // of a form field
	made  int    // bytes of text before the result
}

// Limits of nested fields, and of the bytes in a field's code.
const (
	maxFields    = 100
	maxFieldCode = 1000
)

// readFieldChar reads the beginning or the end of a field. For a field without a result it writes the value, or a
// description of the code.
func (w *words) readFieldChar(n node) {
	last := len(w.fields) - 1
	switch kind := n.attribute("fldCharType"); {
	case kind == "begin" && last < maxFields:
		w.fields = append(w.fields, field{made: w.made})
		w.content(n)
	case last < 0:
	case kind == "separate":
		w.fields[last].made = w.made
	case kind == "end":
		f := w.fields[last]
		w.fields = w.fields[:last]
		if f.value != "" && w.made == f.made {
			w.add(f.value)
		} else if f.value == "" && w.made == f.made {
			w.add(shownCode(f.code))
		}
	}
}

func (w *words) readFieldCode(n node) {
	if last := len(w.fields) - 1; last >= 0 {
		if code := w.fields[last].code + n.allText(); len(code) <= maxFieldCode {
			w.fields[last].code = code
		}
	}
}

// shownCode returns a description of the code of a field without a result.
func shownCode(code string) string {
	words := strings.Fields(code)
	switch {
	case len(words) < 2:
	case strings.EqualFold(words[0], "EQ"):
		return "[equation: " + strings.Join(words[1:], " ") + "]"
	case strings.EqualFold(words[0], "MACROBUTTON"):
		return strings.Join(words[2:], " ")
	case strings.EqualFold(words[0], "SYMBOL"):
		font := ""
		if i := slices.Index(words, `\f`); i >= 0 && i+1 < len(words) {
			font = strings.Trim(strings.Join(words[i+1:], " "), `"`)
		}
		if code, err := strconv.ParseInt(words[1], 0, 32); err == nil {
			return symbol(font, rune(code))
		}
	}
	return ""
}

// readFormField reads a check box or a choice of a form. The text of a text field is its result.
func (w *words) readFormField(n node) {
	value := ""
	for child := range n.content() {
		switch child.name {
		case "checkBox":
			value = checkBox(isChecked(child))
		case "ddList":
			value = formChoice(child)
		}
	}
	if last := len(w.fields) - 1; last >= 0 {
		w.fields[last].value = value
	} else {
		w.add(value)
	}
}

// isChecked reports whether a check box is checked.
func isChecked(n node) bool {
	state := false
	for child := range n.content() {
		if child.name == "default" || child.name == "checked" {
			value := child.attribute("val")
			state = value != "0" && value != "false" && value != "off"
		}
	}
	return state
}

func formChoice(n node) string {
	var choices []string
	chosen := 0
	for child := range n.content() {
		switch child.name {
		case "default", "result":
			chosen = child.number("val", 0)
		case "listEntry":
			choices = append(choices, child.attribute("val"))
		}
	}
	if chosen < 0 || chosen >= len(choices) {
		return ""
	}
	return choices[chosen]
}

func (w *words) readSymbol(n node) {
	code, err := strconv.ParseInt(n.attribute("char"), 16, 32)
	if err != nil {
		w.name("symbol")
		return
	}
	w.add(symbol(n.attribute("font"), rune(code)))
}

// privateUse is the first code of the characters in symbol fonts.
const privateUse = 0xF000

// symbolFonts has the characters of common symbol fonts.
var symbolFonts = map[string]map[rune]rune{
	"wingdings": {
		0x6c: '●', 0x6e: '■', 0x6f: '☐', 0x71: '☐', 0x72: '☐', 0x78: '☒', 0x75: '◆', 0xa7: '▪', 0xa8: '☐',
		0xd8: '➢', 0xdf: '←', 0xe0: '→', 0xe1: '↑', 0xe2: '↓',
		0xe8: '➔', 0xf0: '⇨', 0xfb: '✗', 0xfc: '✓', 0xfd: '☒', 0xfe: '☑', 0x28: '☎', 0x2a: '✉', 0x4a: '☺',
		0x4c: '☹', 0x9f: '•', 0x76: '❖',
	},
	"wingdings 2": {
		0x4f: '✗', 0x50: '✓', 0x51: '☒', 0x52: '☑', 0x53: '☒', 0x54: '☒', 0x2a: '☐',
		0x30: '☐', 0xa3: '☐',
	},
	"webdings": {0x61: '✓', 0x63: '☐', 0x67: '■', 0x72: '✗'},
}

// greek are the characters of the font Symbol from 0x22. An underscore is a character that it shares with ASCII or that
// is not known.
const greek = "∀_∃__∍__∗__−____________________≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ_∴_⊥__αβχδεφγηιϕκλμνοπθρστυϖωξψζ___∼"

// greekSigns are the characters of the font Symbol from 0xA1.
const greekSigns = "ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊"

// symbol returns a character of a font, or its name if the character is only in the font.
func symbol(font string, code rune) string {
	place := code
	if code >= privateUse && code <= privateUse+0xff {
		place -= privateUse
	}
	font = strings.ToLower(font)
	found := symbolFonts[font][place]
	if font == "symbol" {
		for first, characters := range map[rune]string{0x22: greek, 0xa1: greekSigns} {
			if list := []rune(characters); place >= first && int(place-first) < len(list) && list[place-first] != '_' {
				found = list[place-first]
			}
		}
		if found == 0 && place > ' ' && place < 0x7f {
			found = place
		}
	}
	switch {
	case found != 0:
		return string(found)
	case code > ' ' && (code < privateUse || code > privateUse+0xfff) && symbolFonts[font] == nil:
		return string(code)
	}
	return "[symbol not shown]"
}
