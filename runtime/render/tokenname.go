package render

import (
	"strings"
	"unicode"
)

// isOwnName tells the names of the tokens, and the words at the beginning of a line, by which the adapter says
// what a record is, what was cut, and how to go on. A switch is looked through faster than a map, and this is asked of
// every field.
func isOwnName(name string) bool {
	switch name {
	case "id", "record_id", "connection_id", "connector_key", "display_name", "stream", "first_fetch_id", "deleted", "deleted_at",
		"clipped", "characters", "more_fields", "field_path", "fields_clipped", "fields_left_out",
		"rows", "rows_left_out", "rows_without_preview", "hits", "hits_left_out", "hits_narrowed",
		"has_more", "count", "next_cursor", "next_changes_since", "limit_used", "window_cut", "more_sources", "more_warnings",
		"next", "previous", "warning", "source", "hit", "evidence", "recall", "records", "aggregate", "connector", "streams":
		return true
	}
	return false
}

// expandedPrefix begins the token that counts the records of an expanded relation.
const expandedPrefix = "expanded."

// SourceName is a name that came with the data, as it stands in a text: plain, or as a JSON string when it is
// odd or when the adapter has a token of the same name. So a name in quotes is never the adapter's own.
func SourceName(name string) string {
	if isOwnName(name) || strings.HasPrefix(name, expandedPrefix) {
		return Quoted(name)
	}
	return tokenName(name)
}

// tokenName writes a name so that the token can be told apart from its neighbours.
func tokenName(name string) string {
	odd := func(r rune) bool {
		return !(r == '_' || r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
	}
	if name == "" || strings.ContainsFunc(name, odd) {
		return Quoted(name)
	}
	return name
}

// ListedName is a name that came with the data in a list of names. More names stay plain than in a token:
// those of letters of any language, and URLs.
func ListedName(name string) string {
	odd := func(r rune) bool {
		return !(strings.ContainsRune("_-./:@+#~", r) || unicode.IsLetter(r) || unicode.IsDigit(r))
	}
	if name == "" || strings.HasSuffix(name, ":") || strings.ContainsFunc(name, odd) {
		return Quoted(name)
	}
	return name
}

// HeadingName is ListedName for a name that begins a line and has a colon behind it: it is no word with
// which the adapter begins a line.
func HeadingName(name string) string {
	if isOwnName(name) {
		return Quoted(name)
	}
	return ListedName(name)
}
