package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// The modes of a search that matches words, the default first.
const (
	lexicalMode  = "lexical"
	hybridMode   = "hybrid"
	semanticMode = "semantic"
)

// tryWord introduces calls that may find something where this one did not, in either channel.
const tryWord = "try"

// Bounds of what a search without hits says.
const (
	streamsNamed    = 20
	alternatives    = 3 // calls for the parts of a query with OR
	queryCharacters = 200
)

// nothing says what was searched when there are no hits, and gives the calls to try next (R-SEARCH-11).
func (s *search) nothing() (string, []Call) {
	narrowed := s.narrowed()
	where := "any granted stream"
	if streams := s.streams(); streams != nil {
		where = strings.Join(streams, ", ")
	}
	for _, name := range narrowed {
		if name != "streams" {
			where += ", narrowed by " + name
		}
	}
	query := Quoted(tool.Clip(s.question.words, queryCharacters))
	note := fmt.Sprintf("no record of %s has all words of %s (mode lexical: whole words).", where, query)
	if s.question.mode != lexicalMode {
		note = fmt.Sprintf("no record of %s is close to %s (mode %s).", where, query, s.question.mode)
	}
	return note, s.otherSearches(narrowed)
}

// narrowed lists the arguments that leave out records.
func (s *search) narrowed() []string {
	var names []string
	for _, parameter := range s.response.Request.Query.Parameters() {
		name, _, _ := strings.Cut(parameter.Name, "[")
		if slices.Contains([]string{"streams", "filter", "connection_id"}, name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// streams lists the streams that the call names, up to streamsNamed.
func (s *search) streams() []string {
	var names []string
	more := 0
	for _, parameter := range s.response.Request.Query.Parameters() {
		switch {
		case strings.TrimSuffix(parameter.Name, "[]") != "streams":
		case len(names) == streamsNamed:
			more++
		default:
			names = append(names, ListedName(tool.Clip(parameter.Value, tool.LabelCharacters)))
		}
	}
	if more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return names
}

// otherSearches are calls that may find what this one did not: with one word, without the narrowing arguments, or in another mode.
func (s *search) otherSearches(narrowed []string) []Call {
	call := s.call.Without("cursor")
	plainQuery := strings.Join(strings.Fields(strings.NewReplacer("*", "", `"`, "", "|", " ").Replace(s.question.words)), " ")
	if plainQuery != s.question.words {
		call.Arguments = call.Arguments.With(call.argument("q"), rawjson.Quote(plainQuery))
	}
	var try []Call
	switch parts := strings.Split(plainQuery, " OR "); {
	case len(parts) > 1:
		for _, part := range parts[:min(len(parts), alternatives)] {
			try = append(try, call.With(rawjson.String("q", strings.TrimSpace(part)))...)
		}
	case len(s.question.terms) > 1:
		longest := slices.MaxFunc(s.question.terms, func(a, b string) int { return len(a) - len(b) })
		try = append(try, call.With(rawjson.String("q", longest))...)
	}
	if narrowed != nil {
		try = append(try, Call{Tool: s.call.Tool, Arguments: call.Without(narrowed...).Arguments})
	}
	switch isQuestion := len(s.question.terms) > keywordsMost; {
	case s.question.mode != lexicalMode:
		try = append(try, call.With(rawjson.String(tool.HitsMode, lexicalMode))...)
	case isQuestion || try == nil:
		try = append(try, call.With(rawjson.String(tool.HitsMode, semanticMode))...)
	}
	return try
}

// keywordsMost is as many words as one searches for. More are a question, which few records have all the words of.
const keywordsMost = 3

// modeOf returns the mode of a search.
func modeOf(request rs.Request) string {
	switch request.Path.Route().Template {
	case rs.SemanticRoute:
		return semanticMode
	case rs.HybridRoute:
		return hybridMode
	}
	return lexicalMode
}

// syntaxNote says that a query holds operators that the provider does not know (rs-contract.md: all words must occur, whole).
func (q question) syntaxNote() string {
	if q.mode != lexicalMode && q.mode != hybridMode {
		return ""
	}
	hasOperator := strings.ContainsAny(q.words, `*"|`)
	for _, word := range strings.Fields(q.words) {
		hasOperator = hasOperator || word == "OR" || word == "AND" || word == "NOT"
	}
	if !hasOperator {
		return ""
	}
	return `The provider has no search syntax: OR, AND, NOT, * and quotes have no effect. It looks for every word, as a whole word.`
}

// meaningNote says which of the hits of a hybrid search the provider found by meaning alone, without all words of the query.
func (s *search) meaningNote(shown int) string {
	if s.question.mode != hybridMode {
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
		return "No hit has all words of q: these were found by meaning alone."
	}
	return "Found by meaning alone, without all words of q: hits " + strings.Join(ranks, ", ") + "."
}
