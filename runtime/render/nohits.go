package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// The modes of a search that matches words, the default first.
const (
	lexicalMode  = "lexical"
	hybridMode   = "hybrid"
	semanticMode = "semantic"
)

// tryWord introduces calls that may find more than this one, in either channel.
const tryWord = "try"

// Bounds of what a search without hits says.
const (
	streamsNamed    = 30
	queryCharacters = 200
)

// noHits returns the note of what was searched, and the calls to try next (R-SEARCH-11, R-FIND-2).
func (s *HitsPage) noHits() (string, []answer.Call) {
	what, which, mode := indexedField, s.asGiven(), lexicalMode+": whole words"
	switch relaxed := s.Relaxed; {
	case s.question.Mode != lexicalMode:
		what, which, mode = "record", "is close to "+s.query(), s.question.Mode
	case relaxed != nil && len(relaxed.Words) == 1 && len(s.question.terms) > 1:
		which = "has the word " + Quoted(relaxed.Words[0].Word)
	case relaxed != nil && len(relaxed.Words) > 1:
		var searched []string
		for _, each := range relaxed.Words {
			searched = append(searched, Quoted(each.Word))
		}
		which = "has any of the words " + strings.Join(searched, ", ")
	}
	note := words(fmt.Sprintf("%s (mode %s).", s.claim(what, which), mode), s.unsearchedNote())
	files := s.listFiles()
	if files != nil {
		note += " " + tool.FieldTool + " with q searches the text of one file."
	}
	return note, s.otherSearches(files)
}

// filesListed is the maximum number of streams whose files a search without hits offers to list.
const filesListed = 2

// listFiles returns the calls that list the files whose text was not searched (R-CLAIM-4).
func (s *HitsPage) listFiles() (calls []answer.Call) {
	if s.Searched == nil {
		return nil
	}
	for _, each := range s.Searched.WithFiles[:min(len(s.Searched.WithFiles), filesListed)] {
		connections := []string{s.Question.ConnectionID}
		if connections[0] == "" && each.ConnectionIDs != nil {
			connections = each.ConnectionIDs[:min(len(each.ConnectionIDs), sourcesShown)]
		}
		for _, connection := range connections {
			arguments := rawjson.Object{rawjson.String(tool.RecordsStream, each.Name)}
			arguments = withText(arguments, tool.RecordsConnectionID, connection)
			if each.Fields != nil {
				arguments = append(arguments, rawjson.Strings(tool.RecordsFields, each.Fields))
			}
			calls = append(calls, answer.Call{Tool: tool.RecordsTool, Arguments: arguments})
		}
	}
	return calls
}

// indexedField limits the claim of a search by words: other fields may have the words (R-CLAIM-4).
const indexedField = "indexed field"

// asGiven says what a field needs to match the query as given.
func (s *HitsPage) asGiven() string {
	if len(s.question.terms) == 1 {
		return "has the word " + s.query()
	}
	return "has all words of " + s.query()
}

func (s *HitsPage) query() string { return Quoted(tool.Clip(s.question.Words, queryCharacters)) }

// scope names the streams that were searched, and the arguments that narrow them.
func (s *HitsPage) scope() string {
	scope := "any granted stream"
	if streams := s.streams(); streams != nil {
		scope = strings.Join(streams, ", ")
	}
	narrowed := slices.DeleteFunc(slices.Clone(s.Question.Narrowed), func(name string) bool { return name == wire.Streams })
	if len(narrowed) > 0 {
		scope += " (narrowed by " + strings.Join(narrowed, ", ") + ")"
	}
	return scope
}

// claim returns that nothing matches. After an incomplete search, it is limited to what was searched (R-CLAIM-4).
func (s *HitsPage) claim(what, which string) string {
	no := "No"
	if s.Relaxed != nil && !s.Relaxed.Complete {
		no = "In what was searched, no"
	}
	return words(no, what, "of", s.scope(), which)
}

// unsearchedNote returns a note about words and sources that a relaxed search did not cover. It is empty if all were
// covered.
func (s *HitsPage) unsearchedNote() string {
	relaxed := s.Relaxed
	if relaxed == nil {
		return ""
	}
	var notes []string
	if len(relaxed.Unsearched) > 0 {
		notes = append(notes, "Not searched alone: "+strings.Join(listed(relaxed.Unsearched, Quoted), ", ")+".")
	}
	if !relaxed.Complete {
		notes = append(notes, "Not every source was searched completely, so there may be such a record.")
	}
	return strings.Join(notes, " ")
}

// relaxedNote returns a note that the query as given has no hit, with the words that the hits match. It is empty for
// hits of the query as given.
func (s *HitsPage) relaxedNote(shown int) string {
	relaxed := s.Relaxed
	if relaxed == nil || len(s.hits) == 0 {
		return ""
	}
	var found, missing []string
	for _, each := range relaxed.Words {
		if each.Hits == 0 {
			missing = append(missing, Quoted(each.Word))
			continue
		}
		name := Quoted(each.Word)
		if other := each.Forms[0]; other != each.Word {
			name += " as " + Quoted(other)
		}
		if found = append(found, fmt.Sprintf("%s %d", name, each.Hits)); each.HasMore {
			found[len(found)-1] += " or more"
		}
	}
	note := s.claim(indexedField, s.asGiven()) + "."
	switch {
	case found == nil:
		note += " These were found by their meaning, and have similar words."
	case len(s.question.terms) == 1:
		note += " These hits have another form of it: " + found[0] + "."
	default:
		note += " These hits have some of them, those with the most words first: " + strings.Join(found, ", ") + "."
	}
	if missing != nil && len(s.question.terms) > 1 {
		note += " None has " + strings.Join(missing, ", ") + "."
	}
	if shown < relaxed.Found {
		note += fmt.Sprintf(" %d of %d hits are shown; a larger limit shows more.", shown, relaxed.Found)
	}
	return words(note, s.unsearchedNote())
}

// streams lists the streams that were searched, up to streamsNamed.
func (s *HitsPage) streams() []string {
	names := s.Question.Streams
	if names == nil && s.Searched != nil && len(s.hits) == 0 {
		names = s.Searched.Streams
	}
	return listedNames(names)
}

// listedNames returns names for a text, up to streamsNamed.
func listedNames(names []string) []string { return listed(names, ListedName) }

func listed(names []string, quote func(string) string) []string {
	var listed []string
	for _, name := range names[:min(len(names), streamsNamed)] {
		listed = append(listed, quote(tool.Clip(name, tool.LabelCharacters)))
	}
	if more := len(names) - len(listed); more > 0 {
		listed = append(listed, fmt.Sprintf("%d more", more))
	}
	return listed
}

// otherSearches returns calls that may find more: without quotes, without the narrowing arguments, in files, or in
// another mode. No call has the quotes of the query, because they only keep its words from being searched alone.
func (s *HitsPage) otherSearches(files []answer.Call) []answer.Call {
	call := s.Call.Without(wire.Cursor)
	var try []answer.Call
	if unquoted := strings.ReplaceAll(s.question.Words, `"`, ""); unquoted != s.question.Words {
		for _, each := range call.With(rawjson.String(wire.Q, strings.TrimSpace(unquoted))) {
			try, call.Arguments = append(try, each), each.Arguments
		}
	}
	if narrowed := s.Question.Narrowed; narrowed != nil {
		try = append(try, answer.Call{Tool: s.Call.Tool, Arguments: call.Without(narrowed...).Arguments})
	}
	try = append(try, files...)
	switch isQuestion := len(s.question.terms) > maxKeywords; {
	case s.question.Mode != lexicalMode:
		try = append(try, call.With(rawjson.String(tool.HitsMode, lexicalMode))...)
	case isQuestion || try == nil:
		try = append(try, call.With(rawjson.String(tool.HitsMode, semanticMode))...)
	}
	return try
}

// maxKeywords is the maximum number of words in a keyword query. More words are a question, and few records have all of
// them.
const maxKeywords = 3

// syntaxNote returns a note if a query has operators that the provider does not know: all words must occur,
// whole (docs/provider-contract.md, Search).
func (q *question) syntaxNote() string {
	if q.Mode != lexicalMode && q.Mode != hybridMode {
		return ""
	}
	hasOperator := strings.ContainsAny(q.Words, `*"|`)
	for _, word := range strings.Fields(q.Words) {
		hasOperator = hasOperator || word == "OR" || word == "AND" || word == "NOT"
	}
	if !hasOperator {
		return ""
	}
	return `The provider has no query syntax: OR, AND, NOT, * and quotes have no effect. It looks for every word, as a whole word.`
}

// meaningNote returns a note about the hits that the provider found by meaning alone, without all words of the query.
func (s *HitsPage) meaningNote(shown int) string {
	switch {
	case s.question.Mode == semanticMode && shown > 0:
		return "Every record has a rank by meaning: these are the nearest ones, and may not be about the query."
	case s.question.Mode != hybridMode:
		return ""
	}
	var ranks []string
	for i, hit := range s.hits[:shown] {
		if hit.byMeaning {
			ranks = append(ranks, fmt.Sprint(i+1))
		}
	}
	switch len(ranks) {
	case 0:
		return ""
	case shown:
		return "No hit has all words of the query: these were found by meaning alone."
	}
	return "Found by meaning alone, without all words of the query: hits " + strings.Join(ranks, ", ") + "."
}
