package readon

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// timelineCursor is the position of a timeline. Sources are named by a hash. Most are at the last row of the page; those that failed are
// behind it.
type timelineCursor struct {
	Version  int            `json:"v"`
	Question string         `json:"q"`
	Last     *position      `json:"p,omitempty"` // the last row that was shown
	Known    string         `json:"n"`           // the sources that were read
	Offsets  string         `json:"o,omitempty"` // the sources whose times state offsets
	Behind   []position     `json:"b,omitempty"`
	Lagging  map[string]int `json:"l,omitempty"` // a source → its position in Behind, or -1 for the start
}

const (
	timelinePrefix  = "timeline."
	timelineVersion = 1
	hashLength      = 6
)

// timelineStart reads the caller's cursor. It is empty without one.
func timelineStart(sent *string, request rs.Request) (timelineCursor, error) {
	if sent == nil {
		return timelineCursor{}, nil
	}
	text, isOurs := strings.CutPrefix(*sent, timelinePrefix)
	if !isOurs {
		return timelineCursor{}, errOtherCall
	}
	start, err := tool.DecodeCursor[timelineCursor](text)
	switch {
	case err != nil:
		return start, err
	case start.Version != timelineVersion || len(start.Known)%hashLength != 0:
		return start, tool.CursorRefused("is malformed", nil)
	case start.Question != tool.QuestionOf(request):
		return start, errOtherCall
	}
	for _, at := range start.Lagging {
		if at < -1 || at >= len(start.Behind) {
			return start, tool.CursorRefused("is malformed", nil)
		}
	}
	return start, nil
}

// hash identifies a source in a cursor.
func (s *source) hash() string {
	sum := sha256.Sum256([]byte(s.stream + "\x00" + s.connection))
	return base64.RawURLEncoding.EncodeToString(sum[:])[:hashLength]
}

func (c timelineCursor) knows(hash string) bool { return listsHash(c.Known, hash) }

// listsHash reports whether a hash is one of those in a text.
func listsHash(text, hash string) bool {
	for i := 0; i+hashLength <= len(text); i += hashLength {
		if text[i:i+hashLength] == hash {
			return true
		}
	}
	return false
}

// from returns the last row that was shown of a source, or nil.
func (c timelineCursor) from(hash string) *position {
	if at, isLagging := c.Lagging[hash]; isLagging && at >= 0 {
		return &c.Behind[at]
	} else if isLagging || !c.knows(hash) {
		return nil
	}
	return c.Last
}

// remembered is what a process remembers of a source for some minutes, so that no page is read twice. Without it a page is as exact.
type remembered struct {
	Field  string `json:"f"`
	Cursor string `json:"c,omitempty"`
}

// fieldsKey is the key under which the time fields of a caller's sources are remembered.
const fieldsKey = "time fields"

// place sets where each source begins.
func (t *timeline) place(cursor *string) {
	key := fieldsKey
	if cursor != nil && t.env.Readings.Stop(t.env.Caller, *cursor) != "" {
		key = *cursor
	}
	known, _ := tool.DecodeCursor[map[string]remembered](t.env.Readings.Stop(t.env.Caller, key)) // empty if absent
	for _, source := range t.sources {
		source.from = t.start.from(source.hash())
		if listsHash(t.start.Offsets, source.hash()) {
			source.slack = offsetSlack
		}
		if kept, isKept := known[source.hash()]; isKept {
			source.field, source.resume, source.isKnown = kept.Field, kept.Cursor, true
		}
	}
}

// cursor returns the cursor of the page after some rows, and remembers where the sources continue.
func (t *timeline) cursor(shown []int) string {
	taken := make([]int, len(t.sources))
	last := t.start.Last
	for _, number := range shown {
		row := t.sources[number].rows[taken[number]].position
		taken[number]++
		if last == nil || t.compare(moment{position: row}, moment{position: *last}) > 0 {
			last = &row
		}
	}
	next := timelineCursor{Version: timelineVersion, Question: tool.QuestionOf(t.request), Last: last}
	places := map[string]remembered{}
	seen := map[string]bool{}
	for i, source := range t.sources {
		hash := source.hash()
		seen[hash] = true
		next.Known += hash
		if source.slack == offsetSlack {
			next.Offsets += hash
		}
		at := source.from
		if source.err == nil {
			at = t.passed(source, shown, taken[i], last)
			if source.isKnown {
				places[hash] = remembered{source.field, source.place(taken[i])}
			}
		}
		next.lag(hash, at)
	}
	for i := 0; i < len(t.start.Known); i += hashLength { // a source that is not granted now
		if hash := t.start.Known[i : i+hashLength]; !seen[hash] {
			next.Known += hash
			next.lag(hash, t.start.from(hash))
		}
	}
	text := timelinePrefix + tool.EncodeCursor(next)
	t.env.Readings.NoteStop(t.env.Caller, text, tool.EncodeCursor(places))
	fields := map[string]remembered{}
	for hash, place := range places {
		fields[hash] = remembered{Field: place.Field}
	}
	t.env.Readings.NoteStop(t.env.Caller, fieldsKey, tool.EncodeCursor(fields))
	return text
}

// passed returns the position up to which all rows of a source were shown: the position of the page, unless the source is still behind.
func (t *timeline) passed(source *source, shown []int, taken int, last *position) *position {
	if taken == len(source.rows) && source.isDone || last == nil || len(shown) == 0 {
		if last == nil || len(shown) == 0 {
			return source.from
		}
		return last
	}
	if taken < len(source.rows) && t.compare(source.rows[taken], moment{position: *last}) <= 0 { // catching up
		if taken > 0 {
			return &source.rows[taken-1].position
		}
		return source.from
	}
	return last
}

// lag notes the position of a source that is not at the last row.
func (c *timelineCursor) lag(hash string, at *position) {
	if at == c.Last || at != nil && c.Last != nil && *at == *c.Last {
		return
	}
	if c.Lagging == nil {
		c.Lagging = map[string]int{}
	}
	if at == nil {
		c.Lagging[hash] = -1
		return
	}
	known := slices.Index(c.Behind, *at)
	if known < 0 {
		known = len(c.Behind)
		c.Behind = append(c.Behind, *at)
	}
	c.Lagging[hash] = known
}
