package broaden

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/nearname"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// found is a record that some of the words match.
type found struct {
	hit      answer.Hit
	evidence []rawjson.Value // nil: the evidence of the hit
	texts    []string        // of the evidence, without highlight tags
	score    float64         // sum over the words, higher for a better rank
	turn     int             // rank among the hits of its connection with as many words
}

// rankDamping reduces the difference between the first ranks of a list (reciprocal rank fusion; Cormack, Clarke and
// Büttcher, SIGIR 2009).
const rankDamping = 60

// answer returns the hits of all attempts, ordered by the number of words that they match, then by rank.
func (s *broadening) answer(given *answer.Hits) *answer.Hits {
	s.describeWords()
	hits := s.merged()
	s.about.Found = len(hits)
	limit := hitsShown
	if _, isGiven := s.request.Query.Get(wire.Limit); isGiven {
		limit = s.request.Limit()
	}
	given.Relaxed = s.about
	for _, each := range hits[:min(len(hits), limit)] {
		given.Hits = append(given.Hits, each.withEvidence())
	}
	if len(given.Hits) > 0 {
		given.Envelope.Members, given.Meta, given.Paging = nil, given.Meta.Without(wire.Count, "recall"), answer.Paging{Limit: given.Limit}
	}
	return given
}

func (s *broadening) describeWords() {
	for _, each := range s.words {
		if each.word == "" { // a search by meaning adds hits, but does not show that a word occurs
			s.about.ByMeaning = true
			continue
		}
		s.about.Complete = s.about.Complete && each.isComplete
		i := slices.IndexFunc(s.about.Words, func(w answer.RelaxedWord) bool { return w.Word == each.word })
		if word := &s.about.Words[i]; len(each.hits) > 0 {
			word.Forms = append(word.Forms, each.form)
			word.Hits += len(each.hits)
			word.HasMore = word.HasMore || each.hasMore
		}
	}
}

// merged returns each record once, with the best first.
func (s *broadening) merged() []*found {
	var hits []*found
	known := map[string]*found{}
	for _, each := range s.words {
		for i, hit := range each.hits {
			matched := []string{each.word}
			if each.word == "" {
				if matched = s.wordsIn(hit.Members); 2*len(matched) <= len(s.about.Words) {
					continue // every query has hits by meaning; keep those with most of the words
				}
			}
			id := fmt.Sprintf("%q %q %q", connectionOf(hit), hit.Members.Text(wire.Stream), hit.Members.FirstText("record_key", wire.RecordID, wire.ID))
			one := known[id]
			if one == nil {
				one = &found{hit: answer.Hit{Members: hit.Members}}
				hits, known[id] = append(hits, one), one
			} else {
				one.addEvidence(hit.Members)
			}
			for _, word := range matched {
				if !slices.Contains(one.hit.Words, word) {
					one.hit.Words = append(one.hit.Words, word)
				}
			}
			one.score += 1 / float64(rankDamping+i)
		}
	}
	rank(hits)
	return hits
}

// rank sorts hits by the number of matched words. Hits with the same number alternate between the connections, because
// ranks of different sources are not comparable (R-PKG-2).
func rank(hits []*found) {
	slices.SortStableFunc(hits, func(a, b *found) int { return cmp.Compare(b.score, a.score) })
	earlier := map[string]int{}
	for _, hit := range hits {
		group := fmt.Sprintf("%d %s", len(hit.hit.Words), connectionOf(hit.hit))
		hit.turn = earlier[group]
		earlier[group]++
	}
	slices.SortStableFunc(hits, func(a, b *found) int {
		return cmp.Or(cmp.Compare(len(b.hit.Words), len(a.hit.Words)), cmp.Compare(a.turn, b.turn))
	})
}

func connectionOf(hit answer.Hit) string {
	return hit.Members.FirstText(wire.ConnectionID, "connector_instance_id")
}

const (
	maxSnippet    = 4_000 // characters of a snippet that are compared with the words of the query
	minAlike      = 5     // bytes of a word that another one can be similar to: Juno is not July
	maxDifference = 2     // in bytes, between the lengths of similar words: coffee is not fee
)

// wordsIn returns the words that the snippet of a hit shows, in the same or a similar spelling.
func (s *broadening) wordsIn(members rawjson.Object) []string {
	snippet, _ := rawjson.ParseObject(members.Get("snippet"))
	shown := distinct(tool.Clip(cmp.Or(snippet.FirstText("text", "preview_text"), members.Text("snippet")), maxSnippet))
	var matched []string
	for _, each := range s.words {
		isAlike := func(word string) bool {
			shorter, longer := min(len(word), len(each.word)), max(len(word), len(each.word))
			return word == each.form ||
				shorter >= minAlike && longer-shorter <= maxDifference && nearname.Nearest(each.word, []string{word}) != ""
		}
		if each.word != "" && slices.ContainsFunc(shown, isAlike) {
			matched = append(matched, each.word)
		}
	}
	return matched
}

// unmarked returns an excerpt without highlight tags, so that the same text for two words is recognised.
func unmarked(excerpt rawjson.Value) string {
	object, _ := rawjson.ParseObject(excerpt)
	return withoutMarks.Replace(object.FirstText("preview_text", "text", "snippet", "excerpt", "preview"))
}

var withoutMarks = strings.NewReplacer("<mark>", "", "</mark>", "")

const (
	evidenceName = "evidence_excerpts" // the member of a hit with the texts around its matches
	maxEvidence  = 20                  // texts of a record that are compared; a result shows fewer
)

// addEvidence adds the excerpts of the same record's hit for another word.
func (f *found) addEvidence(other rawjson.Object) {
	if f.evidence == nil {
		f.addExcerpts(f.hit.Members)
	}
	f.addExcerpts(other)
}

func (f *found) addExcerpts(members rawjson.Object) {
	excerpts, _ := rawjson.Elements(members.Get(evidenceName))
	for _, excerpt := range excerpts[:min(len(excerpts), maxEvidence)] {
		if text := unmarked(excerpt); !slices.Contains(f.texts, text) {
			f.evidence, f.texts = append(f.evidence, excerpt), append(f.texts, text)
		}
	}
}

// withEvidence returns the hit with the evidence for all of its words.
func (f *found) withEvidence() answer.Hit {
	if f.evidence != nil {
		f.hit.Members = f.hit.Members.With(evidenceName, rawjson.Array(f.evidence))
	}
	return f.hit
}
