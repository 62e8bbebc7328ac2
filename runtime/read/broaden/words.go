package broaden

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Words returns the significant words of a query, without repetition and in lower case. It leaves out the stop words of
// the specs, unless there are no others. It returns nil for a query with quotes, which is strict.
func Words(query string) []string {
	all := distinct(query)
	if strings.Contains(query, `"`) {
		return nil
	}
	isStop := func(word string) bool { return slices.Contains(tool.StopWords, word) }
	if significant := slices.DeleteFunc(slices.Clone(all), isStop); len(significant) > 0 {
		return significant
	}
	return all
}

// distinct returns the words of a query without repetition, in lower case.
func distinct(query string) []string {
	var words []string
	known := map[string]bool{}
	for _, word := range strings.Fields(query) {
		word = strings.ToLower(strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }))
		if word != "" && !known[word] {
			known[word], words = true, append(words, word)
		}
	}
	return words
}

// rarestFirst sorts words by how few records probably have them: those with digits, then the longest.
func rarestFirst(words []string) []string {
	hasDigit := func(word string) int { return min(strings.IndexFunc(word, unicode.IsDigit), 0) } // 0, or -1 without a digit
	return slices.SortedStableFunc(slices.Values(words), func(a, b string) int {
		return cmp.Or(cmp.Compare(hasDigit(b), hasDigit(a)), cmp.Compare(len(b), len(a)))
	})
}

const (
	minStem      = 4 // bytes of a word without its ending
	minInflected = 3 // letters of a word that gets an ending
)

// otherForms returns other forms of a word, the likeliest first. Resource servers match whole words only.
func otherForms(word string) []string {
	spelled, inflected := spellings(word), inflections(word)
	if !isASCII(word) {
		return append(spelled, inflected...)
	}
	var forms []string
	for i := range max(len(spelled), len(inflected)) {
		if i < len(spelled) {
			forms = append(forms, spelled[i])
		}
		if i < len(inflected) {
			forms = append(forms, inflected[i])
		}
	}
	return forms
}

var (
	toASCII  = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue")
	toUmlaut = strings.NewReplacer("ae", "ä", "oe", "ö", "ue", "ü")
)

// spellings returns a word with the other spellings of ß and of umlauts. A word in ASCII probably avoids both.
func spellings(word string) []string {
	sharp := func(word string) string {
		if strings.Contains(word, "ß") {
			return strings.ReplaceAll(word, "ß", "ss")
		}
		return strings.ReplaceAll(word, "ss", "ß")
	}
	umlaut := func(word string) string {
		if other := toASCII.Replace(word); other != word {
			return other
		}
		return toUmlaut.Replace(word)
	}
	forms := []string{sharp(word), umlaut(word), sharp(umlaut(word))}
	if isASCII(word) {
		slices.Reverse(forms)
	}
	var others []string
	for _, form := range forms {
		if form != word && !slices.Contains(others, form) {
			others = append(others, form)
		}
	}
	return others
}

func isASCII(word string) bool {
	return !strings.ContainsFunc(word, func(r rune) bool { return r > unicode.MaxASCII })
}

// inflections returns a word without endings, then with other endings.
func inflections(word string) []string {
	var forms []string
	for _, ending := range tool.EndingsOff {
		if stem, hasEnding := strings.CutSuffix(word, ending); hasEnding && len(stem) >= minStem {
			forms = append(forms, stem)
		}
	}
	if utf8.RuneCountInString(word) >= minInflected {
		for _, ending := range tool.EndingsOn {
			forms = append(forms, word+ending)
		}
	}
	return forms
}
