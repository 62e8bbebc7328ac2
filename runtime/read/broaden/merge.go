package broaden

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/nearname"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// found is a record that some of the words match.
type found struct {
	row   rawjson.Object
	words []string
	score float64 // sum over the words, higher for a better rank
	turn  int     // rank among the hits of its connection with as many words
}

// rankDamping makes the first ranks of a list count about the same (reciprocal rank fusion; Cormack, Clarke and Büttcher, SIGIR 2009).
const rankDamping = 60

// response returns the hits of all attempts, ordered by the number of words that they match, then by rank.
func (s *search) response(asGiven *rs.Response, list rs.List) *rs.Response {
	s.describe()
	hits := s.merged()
	s.about.Found = len(hits)
	limit := hitsShown
	if _, isGiven := s.request.Query.Get("limit"); isGiven {
		limit = s.request.Limit()
	}
	hits = hits[:min(len(hits), limit)]
	rows := make([]rawjson.Value, len(hits))
	for i, hit := range hits {
		rows[i] = hit.row.Encode()
		s.about.Matched = append(s.about.Matched, hit.words)
	}
	result := asGiven
	if len(rows) > 0 {
		meta := list.Meta().Without("count", "count_accuracy", "recall")
		result = asGiven.WithMembers(rawjson.Object{
			rawjson.String("object", "list"), rawjson.Bool("has_more", false),
			rawjson.Raw("data", rawjson.Array(rows)), rawjson.Raw("meta", meta.Encode()),
		})
	}
	result.Relaxed = s.about
	return result
}

func (s *search) describe() {
	for _, each := range s.words {
		if each.word == "" { // a search by meaning adds hits, but does not show that a word occurs
			s.about.ByMeaning = true
			continue
		}
		s.about.Complete = s.about.Complete && each.isComplete
		at := slices.IndexFunc(s.about.Words, func(w answer.RelaxedWord) bool { return w.Word == each.word })
		if word := &s.about.Words[at]; len(each.rows) > 0 {
			word.Forms = append(word.Forms, each.form)
			word.Hits += len(each.rows)
			word.HasMore = word.HasMore || each.hasMore
		}
	}
}

// merged returns each record once, with the best first.
func (s *search) merged() []*found {
	var hits []*found
	known := map[string]*found{}
	for _, each := range s.words {
		for at, row := range each.rows {
			members, _ := rawjson.ParseObject(row)
			matched := []string{each.word}
			if each.word == "" {
				if matched = s.wordsIn(members); 2*len(matched) <= len(s.about.Words) {
					continue // any query has hits by meaning; only those that show most of the words count
				}
			}
			id := fmt.Sprintf("%q %q %q", connectionOf(members), members.Text("stream"), members.FirstText("record_key", "record_id", "id"))
			hit := known[id]
			if hit == nil {
				hit = &found{row: members}
				hits, known[id] = append(hits, hit), hit
			} else {
				hit.addEvidence(members)
			}
			for _, word := range matched {
				if !slices.Contains(hit.words, word) {
					hit.words = append(hit.words, word)
				}
			}
			hit.score += 1 / float64(rankDamping+at)
		}
	}
	rank(hits)
	return hits
}

// rank sorts hits by the number of matched words. Hits with the same number alternate between the connections, because ranks of different
// sources are not comparable (R-PKG-2).
func rank(hits []*found) {
	slices.SortStableFunc(hits, func(a, b *found) int { return cmp.Compare(b.score, a.score) })
	earlier := map[string]int{}
	for _, hit := range hits {
		group := fmt.Sprintf("%d %s", len(hit.words), connectionOf(hit.row))
		hit.turn = earlier[group]
		earlier[group]++
	}
	slices.SortStableFunc(hits, func(a, b *found) int {
		return cmp.Or(cmp.Compare(len(b.words), len(a.words)), cmp.Compare(a.turn, b.turn))
	})
}

func connectionOf(hit rawjson.Object) string {
	return hit.FirstText("connection_id", "connector_instance_id")
}

// wordsIn returns the words that the snippet of a hit shows, in the same or a similar spelling.
func (s *search) wordsIn(members rawjson.Object) []string {
	snippet, _ := rawjson.ParseObject(members.Get("snippet"))
	shown := distinct(snippet.FirstText("text", "preview_text") + " " + members.Text("snippet"))
	var matched []string
	for _, each := range s.words {
		isAlike := func(word string) bool {
			difference := len(word) - len(each.form)
			return word == each.form || difference >= -3 && difference <= 3 && nearname.Nearest(each.form, []string{word}) != ""
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

// evidenceName is the member of a hit with the texts around its matches.
const evidenceName = "evidence_excerpts"

// addEvidence adds the excerpts of the same record's hit for another word.
func (f *found) addEvidence(other rawjson.Object) {
	own, _ := rawjson.Elements(f.row.Get(evidenceName))
	more, _ := rawjson.Elements(other.Get(evidenceName))
	for _, excerpt := range more {
		if !slices.ContainsFunc(own, func(known rawjson.Value) bool { return unmarked(known) == unmarked(excerpt) }) {
			own = append(own, excerpt)
		}
	}
	if len(own) > 0 {
		f.row = f.row.With(evidenceName, rawjson.Array(own))
	}
}
