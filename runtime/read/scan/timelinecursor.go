package scan

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// timelineCursor is the position of a timeline. Sources are named by hashes of a fixed length.
type timelineCursor struct {
	Last    *sortKey            `json:"p,omitempty"` // of the last row that was shown
	Current string              `json:"n"`           // the sources whose rows up to Last were shown
	Behind  map[string]*sortKey `json:"b,omitempty"` // the other sources; nil: no row was shown
	Offsets string              `json:"o,omitempty"` // the sources whose times state offsets
}

const (
	timelinePrefix = "timeline."
	hashLength     = 6
)

// noPlaceNote says why a page has no cursor.
const noPlaceNote = "The places of so many sources do not fit into a cursor: read one connection_id at a time."

// openCursor decodes the caller's cursor. Without a cursor it returns the start of the timeline.
func openCursor(sent *string, request rs.Request) (start timelineCursor, err error) {
	if sent == nil {
		return start, nil
	}
	start, isOwn, err := tool.DecodeCursor[timelineCursor](timelinePrefix, request, *sent)
	if !isOwn {
		err = errOtherCall
	}
	return start, err
}

func (s *source) hash() string {
	sum := sha256.Sum256([]byte(s.key()))
	return base64.RawURLEncoding.EncodeToString(sum[:])[:hashLength]
}

// hashSet returns the hashes in a text without separators.
func hashSet(text string) map[string]bool {
	all := make(map[string]bool, len(text)/hashLength)
	for hash := range slices.Chunk([]byte(text), hashLength) {
		all[string(hash)] = true
	}
	return all
}

// places returns the keys up to which all rows of the sources were shown, by hash.
func (c timelineCursor) places() map[string]*sortKey {
	places := maps.Clone(c.Behind)
	if places == nil {
		places = map[string]*sortKey{}
	}
	for hash := range hashSet(c.Current) {
		places[hash] = c.Last
	}
	return places
}

// sourceHint is remembered for some minutes, so that no page of a source is read twice. The rows of a page do not
// depend on it.
type sourceHint struct {
	Field  string `json:"f"`
	Cursor string `json:"c,omitempty"` // of the resource server
}

// fieldsKey is the key under which the time fields of a caller's sources are remembered.
const fieldsKey = "time fields"

func (t *timeline) resume(cursor *string) {
	kept, isSamePage := "", false
	if cursor != nil {
		kept = t.env.Readings.Stop(t.env.Caller, *cursor)
		isSamePage = kept != ""
	}
	if !isSamePage {
		kept = t.env.Readings.Stop(t.env.Caller, fieldsKey)
	}
	known := map[string]sourceHint{}
	_ = json.Unmarshal([]byte(kept), &known) // empty if absent
	places, offsets := t.start.places(), hashSet(t.start.Offsets)
	for _, source := range t.sources {
		source.from = places[source.hash()]
		if offsets[source.hash()] {
			source.slack = offsetSlack
		}
		if field, isKnown := known[source.key()]; isKnown {
			source.field, source.isKnown = field.Field, true
			if isSamePage {
				source.resume = field.Cursor
			}
		}
	}
}

// cursor returns the cursor of the page after some rows, and remembers where the sources continue. It returns "" if the
// places of all sources do not fit into a cursor.
func (t *timeline) cursor(shown []int) string {
	taken := make([]int, len(t.sources))
	last := t.start.Last
	for _, number := range shown {
		row := t.sources[number].rows[taken[number]].sortKey
		taken[number]++
		if last == nil || t.compare(row, *last) > 0 {
			last = &row
		}
	}
	next := timelineCursor{Last: last, Behind: map[string]*sortKey{}}
	add := func(hash string, from *sortKey) {
		if from != nil && last != nil && *from == *last {
			next.Current += hash
		} else {
			next.Behind[hash] = from
		}
	}
	known := map[string]sourceHint{}
	left := t.start.places() // of sources that are not granted now
	for i, source := range t.sources {
		hash, from := source.hash(), source.from
		if source.err == nil && len(shown) > 0 {
			from = t.shownUpTo(source, taken[i], last)
		}
		add(hash, from)
		if source.slack == offsetSlack {
			next.Offsets += hash
		}
		if source.err == nil && source.isKnown {
			known[source.key()] = sourceHint{source.field, source.nextCursor(taken[i])}
		}
		delete(left, hash)
	}
	for _, hash := range slices.Sorted(maps.Keys(left)) {
		add(hash, left[hash])
	}
	text := tool.EncodeCursor(timelinePrefix, t.request, next)
	if tool.CheckCursor(text) != nil {
		t.Complete, t.Note = false, noPlaceNote
		return ""
	}
	encoded, _ := json.Marshal(known) // strings
	t.env.Readings.NoteStop(t.env.Caller, text, string(encoded))
	t.env.Readings.NoteStop(t.env.Caller, fieldsKey, string(encoded))
	return text
}

// shownUpTo returns the key up to which all rows of a source were shown: the last key of the page, or the source's own
// last one if it has earlier rows that were not shown.
func (t *timeline) shownUpTo(source *source, taken int, last *sortKey) *sortKey {
	switch {
	case taken == len(source.rows) || t.compare(source.rows[taken].sortKey, *last) > 0:
		return last
	case taken > 0:
		return &source.rows[taken-1].sortKey
	}
	return source.from
}
