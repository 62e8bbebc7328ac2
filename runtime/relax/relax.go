// Package relax repeats a search that has no hit with fewer of its words, and with other forms of them (R-FIND-1).
package relax

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Bounds of the reads of one call.
const (
	maxReads  = 6 // of each source: the search as given, the schema, and four others
	maxTime   = 3 * time.Second
	hitsRead  = 50 // of each word
	hitsShown = 10 // if the caller gives no limit
)

// Parameters of a search.
const (
	queryName  = "q"
	limitName  = "limit"
	cursorName = "cursor"
)

// Hits returns a response with hits unchanged. Otherwise it searches for each significant word alone, then for other forms of the words
// without hits. It orders the hits by the number of matched words. A response without hits lists what was searched.
func Hits(ctx context.Context, env tool.Env, request rs.Request, response *rs.Response) *rs.Response {
	list, err := response.List()
	query, _ := request.Query.Get(queryName)
	_, isLaterPage := request.Query.Get(cursorName)
	if err != nil || len(list.Rows) > 0 || isLaterPage || response.Reading != nil {
		return response
	}
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	s := &search{ctx: ctx, env: env, request: request, reads: 1, about: &rs.Relaxed{Complete: isComplete(response, list)}}
	words := Words(query)
	s.about.Unsearched = max(0, len(words)-(maxReads-2))
	for _, word := range rarestFirst(words)[:len(words)-s.about.Unsearched] {
		s.words = append(s.words, &attempt{word: word, form: word})
	}
	s.start()
	s.tryOtherForms()
	return s.response(response, list)
}

// search is one relaxed search.
type search struct {
	ctx      context.Context
	env      tool.Env
	request  rs.Request
	reads    int        // of each source
	words    []*attempt // each word alone
	meaning  *attempt   // all words, in the mode that compares meanings; nil if no stream offers it
	document *schemadoc.Document
	about    *rs.Relaxed
}

// attempt is a search for one word, or for all words in another mode.
type attempt struct {
	word, form string // form is the word, or another form of it
	path       rs.Path
	rows       []rawjson.Value
	hasMore    bool
	isComplete bool
}

// start reads the schema and searches for each word, concurrently.
func (s *search) start() {
	s.reads++
	s.read(s.words, func() {
		connectionID, isNamed := s.request.Query.Get("connection_id")
		scope := schemadoc.Scope{}
		if isNamed {
			scope.ConnectionID = &connectionID
		}
		s.document, _ = scope.Ask(s.ctx, s.env.RS.Get, nil) // without a schema, the streams are not named
	})
	s.nameStreams()
}

// tryOtherForms spends the remaining reads on the mode that compares meanings, if a stream offers it, and on other forms of the words
// without hits.
func (s *search) tryOtherForms() {
	var attempts []*attempt
	if s.meaning != nil && len(s.words) > 0 && s.reads < maxReads && s.mostWords() < max(1, len(s.words)-1) {
		attempts = append(attempts, s.meaning)
	}
	for round := 0; len(s.words) > 0; round++ {
		isTried := false
		for _, each := range s.words {
			if forms := otherForms(each.word); len(each.rows) == 0 && round < len(forms) && s.reads+len(attempts) < maxReads {
				attempts, isTried = append(attempts, &attempt{word: each.word, form: forms[round]}), true
			}
		}
		if !isTried {
			break
		}
	}
	s.read(attempts)
	s.words = append(s.words, attempts...)
}

// mostWords returns the number of words that the best hit matches.
func (s *search) mostWords() int {
	if hits := s.merged(); len(hits) > 0 {
		return len(hits[0].words)
	}
	return 0
}

// read makes attempts and calls other functions, all concurrently.
func (s *search) read(attempts []*attempt, others ...func()) {
	s.reads += len(attempts)
	var reading sync.WaitGroup
	for _, other := range others {
		reading.Go(other)
	}
	for _, each := range attempts {
		reading.Go(func() { s.attempt(each) })
	}
	reading.Wait()
}

// attempt searches once. An attempt that fails has no hits and is not complete.
func (s *search) attempt(a *attempt) {
	request := s.request
	request.Query = request.Query.With(queryName, a.form).With(limitName, strconv.Itoa(hitsRead))
	request.Path = rs.JoinPath("v1", "search")
	if a.path != "" {
		request.Path = a.path
	}
	if wanted, ok := request.Sources.(rs.HitsOfSources); ok {
		wanted.OneRound = true
		request.Sources = wanted
	}
	response, err := s.env.RS.Get(s.ctx, request)
	if err != nil {
		return
	}
	if list, err := response.List(); err == nil {
		a.rows, a.hasMore, a.isComplete = list.Rows, list.Outer.True("has_more"), isComplete(response, list)
	}
}

// isComplete reports whether a search compared every record of every source, according to the response.
func isComplete(response *rs.Response, list rs.List) bool {
	recall, isKnown := rawjson.ParseObject(list.Meta().Get("recall"))
	return len(response.Missing) == 0 && len(response.Absent) == 0 && (!isKnown || recall.True("complete"))
}

// nameStreams reads from the schema which streams were searched, which are not searchable, and whether one can be searched by meaning.
func (s *search) nameStreams() {
	if s.document == nil {
		return
	}
	named := s.namedStreams()
	offersWords := false
	var unsearchable []string
	for _, stream := range s.document.Rows() {
		if named != nil && !slices.Contains(named, stream.Name) || slices.Contains(s.about.Streams, stream.Name) {
			continue
		}
		fields := stream.Fields()
		isSearched := slices.ContainsFunc(fields, func(f schemadoc.Field) bool { return f.Has("lex") })
		offersWords = offersWords || isSearched
		if slices.ContainsFunc(fields, func(f schemadoc.Field) bool { return f.Has("sem") }) && s.meaning == nil {
			query, _ := s.request.Query.Get(queryName)
			s.meaning = &attempt{form: query, path: rs.JoinPath("v1", "search", "semantic")}
		}
		if s.about.Streams = append(s.about.Streams, stream.Name); !isSearched {
			unsearchable = append(unsearchable, stream.Name)
		}
	}
	if offersWords { // a server that advertises nothing may search every stream
		s.about.Unsearchable = unsearchable
		s.about.Streams = slices.DeleteFunc(s.about.Streams, func(name string) bool { return slices.Contains(unsearchable, name) })
	}
}

// namedStreams returns the streams that the caller named, or nil.
func (s *search) namedStreams() []string {
	if wanted, ok := s.request.Sources.(rs.HitsOfSources); ok {
		return wanted.Streams
	}
	return nil
}
