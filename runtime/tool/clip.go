package tool

// LabelCharacters is the maximum length of a display name, a stream's name or a relation's name in a result or an
// error.
const LabelCharacters = 100

// Clip returns the beginning of a text, up to limit characters as hosts written in JavaScript count them: a character
// beyond U+FFFF counts twice. It never splits a character.
func Clip(text string, limit int) string {
	if len(text) <= limit { // a character takes at least one byte
		return text
	}
	for at, r := range text {
		if limit--; r > 0xFFFF {
			limit--
		}
		if limit < 0 {
			return text[:at]
		}
	}
	return text
}

// Shorten returns the text, or its beginning as Clip returns it with an ellipsis.
func Shorten(text string, limit int) string {
	if clipped := Clip(text, limit); len(clipped) < len(text) {
		return clipped + "…"
	}
	return text
}
