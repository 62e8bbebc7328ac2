package broaden_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/broaden"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

func TestWords(t *testing.T) {
	for query, want := range map[string][]string{
		"who had the barometer":            {"barometer"},
		"Wer hat die Karte, die KARTE?":    {"karte"},
		"barometer grandfather":            {"barometer", "grandfather"},
		"barometer":                        {"barometer"},
		`"half a map" fog`:                 nil, // quoted words are strict
		"what is this":                     {"what", "is", "this"},
		"PP-4471 *parcel* (found) ... — 水": {"pp-4471", "parcel", "found", "水"},
		"":                                 nil,
	} {
		if diff := cmp.Diff(want, broaden.Words(query)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", query, diff)
		}
	}
}

// index is a resource server that finds records by their words.
type index struct {
	records map[string]string // by connection/stream:key
	meaning bool              // it can be searched by meaning
	partial bool              // its recall is not complete
	slow    string            // a word whose search takes a minute

	mu    sync.Mutex
	asked []string
}

func (x *index) note(request rs.Request) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.asked = append(x.asked, string(request.Path)+"?"+request.Query.Encoded())
}

// find is a broaden.Search.
func (x *index) find(ctx context.Context, request rs.Request) (*answer.Hits, error) {
	x.note(request)
	q, _ := request.Query.Get("q")
	if q == x.slow && q != "" {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Minute):
		}
	}
	_, isLaterPage := request.Query.Get("cursor")
	return &answer.Hits{
		Hits:     x.hits(q, strings.HasSuffix(string(request.Path), "semantic")),
		Question: answer.Question{Words: q, IsLaterPage: isLaterPage},
		Envelope: answer.Envelope{
			Meta: rawjson.Object{rawjson.Raw("recall", fmt.Appendf(nil, `{"complete":%t}`, !x.partial))},
		},
	}, nil
}

// hits returns the records that have every word of q, or by meaning all records.
func (x *index) hits(q string, byMeaning bool) []answer.Hit {
	var hits []answer.Hit
	names := make([]string, 0, len(x.records))
	for name := range x.records {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		has := true
		for _, word := range strings.Fields(strings.ToLower(q)) {
			has = has && slices.Contains(strings.Fields(strings.ToLower(x.records[name])), word)
		}
		if has || byMeaning {
			connection, key, _ := strings.Cut(name, "/")
			members, _ := rawjson.ParseObject(fmt.Appendf(nil,
				`{"connection_id":%q,"stream":"mails","record_key":%q,"snippet":{"field":"text","text":%q}}`, connection, key,
				x.records[name]))
			hits = append(hits, answer.Hit{Members: members})
		}
	}
	return hits
}

func (x *index) search(t *testing.T, parameters ...string) (*answer.Hits, []string) {
	t.Helper()
	request := rs.Request{Path: rs.JoinPath("v1", "search"), Sources: rs.HitsOfSources{}}
	for i := 0; i < len(parameters); i += 2 {
		request.Query.Set(parameters[i], parameters[i+1])
	}
	given, err := x.find(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	found := broaden.Hits(t.Context(), tool.Env{}, request, given, x.meaning, x.find)
	var keys []string
	for _, hit := range found.Hits {
		keys = append(keys, hit.Members.Text("record_key"))
	}
	return found, keys
}

var mails = map[string]string{
	"a/1": "the barometer of my grandfather",
	"a/2": "a barometer",
	"a/3": "one more barometer",
	"b/4": "the parcel with a barometer",
	"b/5": "a parcel",
	"b/6": "maps of huts",
}

// R-FIND-1: hits by the number of their words, then in turn from each source; the server is asked for each word once.
func TestFewerWords(t *testing.T) {
	x := &index{records: mails}
	response, keys := x.search(t, "q", "who had the barometer, grandfather's parcel for my grandfather?",
		"filter[year]", "2026")
	if diff := cmp.Diff([]string{"1", "4", "2", "5", "3"}, keys); diff != "" {
		t.Errorf("hits (-want +got):\n%s", diff)
	}
	var words [][]string
	for _, hit := range response.Hits {
		words = append(words, hit.Words)
	}
	if diff := cmp.Diff([][]string{
		{"grandfather", "barometer"},
		{"barometer", "parcel"},
		{"barometer"},
		{"parcel"},
		{"barometer"},
	}, words); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
	if len(x.asked) > 5 { // and the schema
		t.Errorf("asked %q, more than five times", x.asked)
	}
	for _, asked := range x.asked {
		if strings.HasPrefix(asked, "/v1/search") && !strings.Contains(asked, "filter%5Byear%5D=2026") {
			t.Errorf("%s lacks the filter of the call", asked)
		}
	}
}

// R-FIND-1: a query with a hit, a later page and quoted words are not relaxed.
func TestWhatIsNotRelaxed(t *testing.T) {
	for name, test := range map[string]struct {
		parameters []string
		asked      int
		isStrict   bool
	}{
		"a hit":        {[]string{"q", "barometer"}, 1, false},
		"a later page": {[]string{"q", "barometer zzz", "cursor", "c1"}, 1, false},
		"quoted words": {[]string{"q", `"grandfather barometer"`}, 1, true},
	} {
		x := &index{records: mails}
		response, _ := x.search(t, test.parameters...)
		if len(x.asked) != test.asked || (response.Relaxed != nil) != test.isStrict || test.isStrict &&
			response.Relaxed.Words != nil {
			t.Errorf("%s: asked %q, relaxed %+v", name, x.asked, response.Relaxed)
		}
	}
}

// R-FIND-1: other forms of words without hits, within six reads.
func TestOtherForms(t *testing.T) {
	x := &index{records: mails}
	response, _ := x.search(t, "q", "map parceling")
	var forms []string
	for _, word := range response.Relaxed.Words {
		forms = append(forms, word.Word+": "+strings.Join(word.Forms, ","))
	}
	if diff := cmp.Diff([]string{"parceling: parcel", "map: maps"}, forms); diff != "" || len(x.asked) > 5 {
		t.Errorf("forms (-want +got):\n%s\nasked %q", diff, x.asked)
	}
}

// R-FIND-1: a single word is not repeated. Its other spellings and its plural are tried, and the mode that compares
// meanings.
func TestFormsOfOneWord(t *testing.T) {
	for word, want := range map[string]string{
		"pflügerstrasse":  "pflügerstraße",
		"Pfluegerstrasse": "pflügerstraße",
		"Strasse":         "straße",
		"straße":          "strasse",
		"muenchen":        "münchen",
		"hut":             "huts",
	} {
		x := &index{records: map[string]string{"a/1": want}, meaning: true}
		found, keys := x.search(t, "q", word)
		if len(keys) != 1 || !slices.Equal(found.Relaxed.Words[0].Forms, []string{want}) || len(x.asked) > 5 {
			t.Errorf("%s: hits %q, %+v, asked %q", word, keys, found.Relaxed, x.asked)
		}
		if slices.ContainsFunc(x.asked[1:],
			func(asked string) bool { return strings.Contains(asked, "/v1/search?q="+strings.ToLower(word)+"&") }) {
			t.Errorf("%s is searched twice: %q", word, x.asked)
		}
	}
}

// R-FIND-1: a word of one or two letters has no plural.
func TestFormsOfLetters(t *testing.T) {
	x := &index{records: map[string]string{"a/1": "üs"}}
	if _, keys := x.search(t, "q", "ü"); len(keys) > 0 {
		t.Errorf("hits %q, asked %q", keys, x.asked)
	}
}

// R-FIND-2: without any hit, the words, and whether all was searched.
func TestNoHits(t *testing.T) {
	response, keys := (&index{records: mails}).search(t, "q", "violin dentist")
	about := response.Relaxed
	if len(keys) > 0 || !about.Complete || len(about.Words) != 2 {
		t.Errorf("hits %q, %+v", keys, about)
	}
	if response, _ = (&index{records: mails, partial: true}).search(t, "q", "violin dentist"); response.Relaxed.Complete {
		t.Error("a search with an incomplete recall is called complete")
	}
}

// R-FIND-1: a mode that a stream offers is asked for all words; a hit by meaning counts if it shows most of the words.
func TestByMeaning(t *testing.T) {
	x := &index{records: mails, meaning: true}
	_, keys := x.search(t, "q", "barometre grandfater")
	if diff := cmp.Diff([]string{"1"}, keys); diff != "" {
		t.Errorf("hits (-want +got):\n%s", diff)
	}
	if response, keys := x.search(t, "q", "violin dentist"); len(keys) > 0 || !response.Relaxed.ByMeaning {
		t.Errorf("hits %q, %+v", keys, response.Relaxed)
	}
	for word, other := range map[string]string{
		"coffee": "a notice, and a fee", "Juno": "Berlin–Lyon, 18 July",
		"rent": "Gute Reise!", // which is near to the form rente
	} {
		x := &index{records: map[string]string{"a/1": other}, meaning: true}
		if _, keys := x.search(t, "q", word); len(keys) > 0 {
			t.Errorf("%s is found in %q", word, other)
		}
	}
}

// R-FIND-1: the words take 3 s at most, and what did not come in time is not called searched.
func TestSlowSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x, start := &index{records: mails, slow: "violin"}, time.Now()
		response, keys := x.search(t, "q", "violin parcel")
		if took := time.Since(start); took > 3*time.Second {
			t.Errorf("took %s", took)
		}
		if diff := cmp.Diff([]string{"4", "5"}, keys); diff != "" || response.Relaxed.Complete {
			t.Errorf("complete=%t, hits (-want +got):\n%s", response.Relaxed.Complete, diff)
		}
	})
}

// R-SCAN-8: two searches of a caller are broadened at the same time. A third one waits 3 s at most, and then says what
// it lacks. Another caller does not wait.
func TestBroadenedSearchesTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		readings := tool.NewReadings(tool.ReadingsOptions{MaxRecords: 100})
		search := func(caller string, x *index) *answer.Hits {
			request := rs.Request{Path: rs.JoinPath("v1", "search"), Sources: rs.HitsOfSources{}}
			request.Query.Set("q", "violin parcel")
			given := &answer.Hits{Question: answer.Question{Words: "violin parcel"}}
			return broaden.Hits(t.Context(), tool.Env{Readings: readings, Caller: caller}, request, given, x.meaning, x.find)
		}
		var ends []func()
		for range 2 {
			end, err := readings.Begin(t.Context(), "one")
			if err != nil {
				t.Fatal(err)
			}
			ends = append(ends, end)
		}
		x, start := &index{records: mails}, time.Now()
		refused := search("one", x)
		if len(x.asked) > 0 || time.Since(start) > 3*time.Second || refused.Relaxed != nil ||
			!strings.Contains(fmt.Sprintf("%s", refused.Warnings), "were not searched alone: two calls of this token") {
			t.Errorf("after %s and %d requests: %s", time.Since(start), len(x.asked), refused.Warnings)
		}
		if found := search("two", x); len(found.Hits) != 2 {
			t.Errorf("another caller has %d hits", len(found.Hits))
		}
		ends[0]()
		if found := search("one", x); len(found.Hits) != 2 || found.Warnings != nil {
			t.Errorf("in its turn it has %d hits, %s", len(found.Hits), found.Warnings)
		}
		if _, err := readings.Begin(t.Context(), "one"); err != nil {
			t.Errorf("a broadened search keeps its turn: %v", err)
		}
	})
}
