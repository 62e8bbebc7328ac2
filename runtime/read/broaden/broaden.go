// Package broaden repeats a search that has no hit with fewer of its words, and with other forms of them (R-FIND-1).
package broaden

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Bounds of the reads of one call.
const (
	maxReads  = 6               // of each source: the search as given, the schema, and four others
	maxTime   = 3 * time.Second // and as long to wait for the caller's turn
	hitsRead  = 50              // of each word
	hitsShown = 10              // if the caller passes no limit
)

// Hits returns hits unchanged if there are any. Otherwise it searches for each significant word alone, then for other
// forms of the words without hits. It orders the hits by the number of matched words. An answer without hits lists what
// was searched. Search reads the first page of a request; it is called concurrently.
func Hits(ctx context.Context, env tool.Env, request rs.Request, given *answer.Hits, byMeaning bool, search Search) *answer.Hits {
	if len(given.Hits) > 0 || given.Question.IsLaterPage || given.Reading != nil {
		return given
	}
	end, err := beginTurn(ctx, env)
	if err != nil {
		given.Warnings = append(given.Warnings, rawjson.Object{
			rawjson.String("code", string(tool.RateLimitExceeded)),
			rawjson.String("message", "the words of q were not searched alone: two calls of this token are reading already; search again when they are answered"),
		}.Encode())
		return given
	}
	defer end()
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	s := &broadening{ctx: ctx, request: request, search: search, query: given.Question.Words, about: &answer.Relaxed{Complete: isComplete(given)}}
	words := Words(s.query)
	searched := rarestFirst(words)[:min(len(words), maxReads-2)]
	for _, word := range searched {
		s.words = append(s.words, &attempt{word: word, form: word})
		s.about.Words = append(s.about.Words, answer.RelaxedWord{Word: word})
	}
	if len(words) > 0 {
		isSearched := func(word string) bool { return slices.Contains(searched, word) }
		s.about.Unsearched = slices.DeleteFunc(distinct(s.query), isSearched)
	}
	if byMeaning {
		s.meaning = &attempt{form: s.query, path: rs.JoinPath("v1", wire.Search, "semantic")}
	}
	if len(distinct(s.query)) > 1 {
		s.read(s.words)
	} else {
		for _, each := range s.words { // it was searched as given
			each.isComplete = s.about.Complete
		}
	}
	if len(words) > 0 {
		s.tryOtherForms()
	}
	return s.answer(given)
}

// beginTurn waits for a turn of the caller, because a search of many sources sends several requests to each (R-SCAN-8).
func beginTurn(ctx context.Context, env tool.Env) (end func(), err error) {
	if env.Readings == nil {
		return func() {}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	return env.Readings.Begin(ctx, env.Caller)
}

// CanRead reports whether the bound permits another read for a search that was broadened.
func CanRead(broadened *answer.Relaxed) bool { return broadened.Searches < maxReads-2 }

// Search reads the first page of a search.
type Search func(ctx context.Context, request rs.Request) (*answer.Hits, error)

type broadening struct {
	ctx     context.Context
	request rs.Request
	search  Search
	query   string
	words   []*attempt // each word alone, then other forms of the words
	meaning *attempt   // all words, in the mode that compares meanings; nil if no stream offers it
	about   *answer.Relaxed
}

// attempt is a search for one word, or for all words in another mode.
type attempt struct {
	word, form string // form is the word, or another form of it
	path       rs.Path
	hits       []answer.Hit
	hasMore    bool
	isComplete bool
}

// tryOtherForms spends the remaining reads on the mode that compares meanings and on other forms of the words without
// hits.
func (s *broadening) tryOtherForms() {
	var attempts []*attempt
	left := maxReads - 2 - s.about.Searches
	if s.about.Searches == 0 { // a single word has fewer forms
		left--
	}
	best := s.merged()
	hasGoodHit := len(best) > 0 && len(best[0].hit.Words) >= len(s.words)-1
	if s.meaning != nil && !hasGoodHit {
		attempts = append(attempts, s.meaning)
	}
	for round, isTried := 0, true; isTried; round++ {
		isTried = false
		for _, each := range s.words {
			if forms := otherForms(each.word); len(each.hits) == 0 && round < len(forms) {
				attempts, isTried = append(attempts, &attempt{word: each.word, form: forms[round]}), true
			}
		}
	}
	attempts = attempts[:min(len(attempts), left)]
	s.read(attempts)
	s.words = append(s.words, attempts...)
}

// read makes attempts concurrently.
func (s *broadening) read(attempts []*attempt) {
	s.about.Searches += len(attempts)
	var reading sync.WaitGroup
	for _, each := range attempts {
		reading.Go(func() { s.attempt(each) })
	}
	reading.Wait()
}

// attempt searches once. An attempt that fails has no hits and is not complete.
func (s *broadening) attempt(a *attempt) {
	request := s.request
	request.Query = request.Query.With(wire.Q, a.form).With(wire.Limit, strconv.Itoa(hitsRead))
	request.Path = cmp.Or(a.path, rs.JoinPath("v1", wire.Search))
	if wanted, ok := request.Sources.(rs.HitsOfSources); ok {
		wanted.OneRound = true
		request.Sources = wanted
	}
	found, err := s.search(s.ctx, request)
	if err != nil {
		return
	}
	a.hits, a.hasMore, a.isComplete = found.Hits, found.HasMore, isComplete(found)
}

// isComplete reports whether a search compared every record of every source, according to the answer.
func isComplete(found *answer.Hits) bool {
	recall, isKnown := rawjson.ParseObject(found.Meta.Get("recall"))
	return len(found.Missing) == 0 && (!isKnown || recall.True("complete"))
}
