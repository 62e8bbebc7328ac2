package render

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// The modes of a search that matches words, the default first.
const (
	lexicalMode = "lexical"
	hybridMode  = "hybrid"
)

// tryWord introduces calls that may find something where this one did not, in either channel.
const tryWord = "try"

func tryLines(try []Call) []string {
	var lines []string
	for _, call := range try {
		lines = append(lines, tryWord+": "+call.invocation())
	}
	return lines
}

// Bounds of what a search without hits says.
const (
	streamsNamed   = 40
	alternatives   = 3 // calls for the parts of a query with OR
	queryCharacter = 200
)

// searched names the streams that a search without hits looked at: those of the call, otherwise those that the schema lists.
// It is empty if the schema cannot be read.
func (s *search) searched(ctx context.Context, env tool.Env, input SearchInput) []string {
	var named []string
	for _, parameter := range s.response.Request.Query.Parameters() {
		if strings.TrimSuffix(parameter.Name, "[]") == "streams" {
			named = append(named, parameter.Value)
		}
	}
	if named != nil {
		return named
	}
	schema, err := schemadoc.Scope{ConnectionID: input.ConnectionID}.Ask(ctx, env.RS.Get, nil)
	if err != nil {
		return nil
	}
	for _, stream := range schema.Rows() {
		if !slices.Contains(named, stream.Name) {
			named = append(named, stream.Name)
		}
	}
	return named
}

// nothing says what was searched when there are no hits, and gives the calls to try next (R-SEARCH-11).
func (s *search) nothing() (string, []Call) {
	query := Quoted(Clip(s.question.words, queryCharacter))
	note := fmt.Sprintf("no record has all words of %s, each as a whole word (mode %s).", query, lexicalMode)
	if s.question.mode != lexicalMode {
		note = fmt.Sprintf("no record is close to %s (mode %s).", query, s.question.mode)
	}
	narrowed := s.narrowed()
	if others := slices.DeleteFunc(slices.Clone(narrowed), func(name string) bool { return name == "streams" }); len(others) > 0 {
		note += " Narrowed by " + strings.Join(others, " and ") + "."
	}
	return words(note, streamsNote(s.streams)), s.otherSearches(narrowed)
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

func streamsNote(streams []string) string {
	if len(streams) == 0 {
		return "Streams searched: all that are granted."
	}
	names := make([]string, 0, streamsNamed)
	for _, stream := range streams[:min(len(streams), streamsNamed)] {
		names = append(names, ListedName(Clip(stream, labelCharacters)))
	}
	note := "Streams searched: " + strings.Join(names, ", ")
	if more := len(streams) - len(names); more > 0 {
		note += fmt.Sprintf(" and %d more", more)
	}
	return note + "."
}

// otherSearches are calls that may find what this one did not: with one word, without the narrowing arguments, or in another mode.
func (s *search) otherSearches(narrowed []string) []Call {
	call := s.call.Without("cursor")
	var try []Call
	switch parts := strings.Split(s.question.words, " OR "); {
	case len(parts) > 1:
		for _, part := range parts[:min(len(parts), alternatives)] {
			try = append(try, call.With(rawjson.String("q", strings.Trim(part, ` *"`)))...)
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
		try = append(try, call.With(rawjson.String(tool.HitsMode, "semantic"))...)
	}
	return try
}

// keywordsMost is as many words as one searches for. More are a question, which few records have all the words of.
const keywordsMost = 3

// modeOf returns the mode of a search. The path of the request is the only place that has it.
func modeOf(request rs.Request) string {
	if _, mode, ok := strings.Cut(string(request.Path), "search/"); ok {
		return mode
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
