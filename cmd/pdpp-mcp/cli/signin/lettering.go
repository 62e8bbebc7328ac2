package signin

import "strings"

// letterRows is the height of a large letter, and letterWidth its width, in characters.
const (
	letterRows  = 5
	letterWidth = 5
	letterGap   = 2
)

// letters are drawn with characters that every terminal has. Zero has a stroke, so that it is no O. A code of RFC 8628 has
// letters, digits and a dash.
var letters = map[rune][letterRows]string{
	'0': {" ### ", "#  ##", "# # #", "##  #", " ### "},
	'1': {"  #  ", " ##  ", "  #  ", "  #  ", " ### "},
	'2': {" ### ", "#   #", "  ## ", " #   ", "#####"},
	'3': {"#### ", "    #", " ### ", "    #", "#### "},
	'4': {"#  # ", "#  # ", "#####", "   # ", "   # "},
	'5': {"#####", "#    ", "#### ", "    #", "#### "},
	'6': {" ### ", "#    ", "#### ", "#   #", " ### "},
	'7': {"#####", "    #", "   # ", "  #  ", "  #  "},
	'8': {" ### ", "#   #", " ### ", "#   #", " ### "},
	'9': {" ### ", "#   #", " ####", "    #", " ### "},
	'A': {" ### ", "#   #", "#####", "#   #", "#   #"},
	'B': {"#### ", "#   #", "#### ", "#   #", "#### "},
	'C': {" ####", "#    ", "#    ", "#    ", " ####"},
	'D': {"#### ", "#   #", "#   #", "#   #", "#### "},
	'E': {"#####", "#    ", "###  ", "#    ", "#####"},
	'F': {"#####", "#    ", "###  ", "#    ", "#    "},
	'G': {" ####", "#    ", "#  ##", "#   #", " ####"},
	'H': {"#   #", "#   #", "#####", "#   #", "#   #"},
	'I': {"#####", "  #  ", "  #  ", "  #  ", "#####"},
	'J': {"  ###", "    #", "    #", "#   #", " ### "},
	'K': {"#   #", "#  # ", "###  ", "#  # ", "#   #"},
	'L': {"#    ", "#    ", "#    ", "#    ", "#####"},
	'M': {"#   #", "## ##", "# # #", "#   #", "#   #"},
	'N': {"#   #", "##  #", "# # #", "#  ##", "#   #"},
	'O': {" ### ", "#   #", "#   #", "#   #", " ### "},
	'P': {"#### ", "#   #", "#### ", "#    ", "#    "},
	'Q': {" ### ", "#   #", "# # #", "#  # ", " ## #"},
	'R': {"#### ", "#   #", "#### ", "#  # ", "#   #"},
	'S': {" ####", "#    ", " ### ", "    #", "#### "},
	'T': {"#####", "  #  ", "  #  ", "  #  ", "  #  "},
	'U': {"#   #", "#   #", "#   #", "#   #", " ### "},
	'V': {"#   #", "#   #", "#   #", " # # ", "  #  "},
	'W': {"#   #", "#   #", "# # #", "## ##", "#   #"},
	'X': {"#   #", " # # ", "  #  ", " # # ", "#   #"},
	'Y': {"#   #", " # # ", "  #  ", "  #  ", "  #  "},
	'Z': {"#####", "   # ", "  #  ", " #   ", "#####"},
	'-': {"     ", "     ", " ### ", "     ", "     "},
}

// large draws a code in letters of five lines, each line with the margin before it. It is empty when the code has other
// characters or is wider than the terminal; small letters are drawn as capitals, which a page may show in their place.
func large(code, margin string, columns int) string {
	var rows [letterRows]strings.Builder
	drawn := 0
	for _, r := range strings.ToUpper(code) {
		letter, ok := letters[r]
		if !ok {
			return ""
		}
		for i := range rows {
			if drawn > 0 {
				rows[i].WriteString(strings.Repeat(" ", letterGap))
			}
			rows[i].WriteString(letter[i])
		}
		drawn++
	}
	if drawn == 0 || len(margin)+drawn*(letterWidth+letterGap)-letterGap > columns {
		return ""
	}
	var text strings.Builder
	for i := range rows {
		text.WriteString(margin + strings.TrimRight(rows[i].String(), " ") + "\n")
	}
	return text.String()
}
