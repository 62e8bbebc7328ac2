package resource

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"unicode"
	"unicode/utf16"
)

// Bounds of a field window, in characters, which are Unicode code points here.
const (
	usualWindowChars = 4096
	maxWindowChars   = 16384
	maxContextChars  = 8192
)

// fieldWindow is a part of a text field.
type fieldWindow struct {
	Object   string          `json:"object"` // "field_window"
	RecordID string          `json:"record_id"`
	Stream   string          `json:"stream"`
	URL      string          `json:"url"`
	Field    windowField     `json:"field"`
	Window   characterWindow `json:"window"`
	envelope
}

type windowField struct {
	Path string `json:"path"`
	Type string `json:"type"` // "string"
}

// characterWindow is the text from StartChars up to EndChars. Complete means that it is the whole field.
type characterWindow struct {
	Text                string `json:"text"`
	StartChars          int    `json:"start_chars"`
	EndChars            int    `json:"end_chars"`
	TotalChars          int    `json:"total_chars"`
	LimitChars          int    `json:"limit_chars"`
	Complete            bool   `json:"complete"`
	HasMore             bool   `json:"has_more"`
	NextOffsetChars     *int   `json:"next_offset_chars"`
	PreviousOffsetChars *int   `json:"previous_offset_chars"`
	MatchStartChars     *int   `json:"match_start_chars"`
	MatchEndChars       *int   `json:"match_end_chars"`
}

// readFieldWindow answers with a part of a long text. It ignores unknown parameters.
func (s *server) readFieldWindow(c *call) (any, error) {
	path := c.parameters.value("field")
	if path == "" || len(c.parameters.all("field")) > 1 {
		return nil, invalid("invalid_field_path", "field is required and must be a non-empty string").of("field")
	}
	wanted, err := c.windowSelector()
	if err != nil {
		return nil, err
	}
	source, entry, err := s.findRecord(c)
	if err != nil {
		return nil, err
	}
	text, err := source.text(entry.Data, path)
	if err != nil {
		return nil, err
	}
	window, found := wanted.window([]rune(text))
	if !found {
		return nil, notFound("query_not_found", "q was not found in field '%s'", path)
	}
	return fieldWindow{
		Object: "field_window", RecordID: entry.Key, Stream: entry.Stream, URL: c.URL.EscapedPath(),
		Field: windowField{Path: path, Type: "string"}, Window: window, envelope: c.envelope(),
	}, nil
}

// text returns the text of a field of a record's data.
func (s source) text(data json.RawMessage, path string) (string, error) {
	if _, declared := s.field(path); !declared || !s.grants(path) {
		return "", forbidden("field_not_granted", "field '%s' is not within the granted projection for this stream", path)
	}
	var values map[string]json.RawMessage
	if err := json.Unmarshal(data, &values); err != nil {
		return "", fmt.Errorf("read data: %w", err)
	}
	if values[path] == nil {
		return "", notFound("field_not_found", "field '%s' is not present on this record", path)
	}
	var text *string
	if json.Unmarshal(values[path], &text) != nil || text == nil {
		return "", &problem{
			status: http.StatusUnprocessableEntity, code: "field_not_text",
			message: fmt.Sprintf("field '%s' is %s, not a readable text field; non-text and binary fields are metadata-only",
				path, jsonKind(values[path])),
		}
	}
	return *text, nil
}

// jsonKind returns the name of a JSON value's type.
func jsonKind(raw json.RawMessage) string {
	switch raw[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// windowSelector selects a part of a text: from an offset, or around the first match of q.
type windowSelector struct {
	offset        int
	limit         int
	q             []rune // nil: by offset
	context       bool   // before and after bound the window
	before, after int
}

func (c *call) windowSelector() (windowSelector, error) {
	selector := windowSelector{limit: usualWindowChars, q: []rune(c.parameters.value("q"))}
	if _, given := c.parameters.first("q"); given && len(selector.q) == 0 {
		return selector, invalid("invalid_window", "q must be a non-empty string")
	}
	offset, hasOffset, err := c.characters("offset_chars")
	if err != nil {
		return selector, err
	}
	if hasOffset && len(selector.q) > 0 {
		return selector, invalid("invalid_window", "q is exclusive with offset_chars")
	}
	selector.offset = offset
	limit, hasLimit, err := c.characters("limit_chars")
	if err != nil {
		return selector, err
	}
	if hasLimit {
		if limit == 0 {
			return selector, invalid("invalid_window", "limit_chars must be a positive integer")
		}
		selector.limit = c.clampCharacters("limit_chars", limit, maxWindowChars)
	}
	err = c.contextChars(&selector)
	return selector, err
}

// contextChars parses how much text to return before and after a match.
func (c *call) contextChars(selector *windowSelector) error {
	for _, side := range []struct {
		name  string
		value *int
	}{{"before_chars", &selector.before}, {"after_chars", &selector.after}} {
		characters, given, err := c.characters(side.name)
		if err != nil {
			return err
		}
		if !given {
			continue
		}
		if len(selector.q) == 0 {
			return invalid("invalid_window", "before_chars and after_chars require q")
		}
		if characters > maxContextChars {
			return invalid("invalid_window", "%s must be <= %d", side.name, maxContextChars)
		}
		*side.value, selector.context = characters, true
	}
	return nil
}

// characters parses a number of characters, and reports whether it was given.
func (c *call) characters(name string) (int, bool, error) {
	text, given := c.parameters.first(name)
	if !given {
		return 0, false, nil
	}
	number, err := strconv.Atoi(text)
	if err != nil && !errors.Is(err, strconv.ErrRange) { // a number that is too large is as good as the largest
		return 0, false, invalid("invalid_window", "%s must be an integer", name).of(name)
	}
	if number < 0 {
		kind := "non-negative"
		if name == "limit_chars" {
			kind = "positive"
		}
		return 0, false, invalid("invalid_window", "%s must be a %s integer", name, kind)
	}
	return number, true, nil
}

func (c *call) clampCharacters(name string, number, limit int) int {
	if number <= limit {
		return number
	}
	c.warn(warning{Code: "limit_clamped", Message: fmt.Sprintf("%s clamped to %d", name, limit), Param: name})
	return limit
}

// window returns the selected part of a text, and reports whether q was found.
func (w windowSelector) window(text []rune) (characterWindow, bool) {
	start, limit := min(w.offset, len(text)), w.limit
	window := characterWindow{TotalChars: len(text)}
	if len(w.q) > 0 {
		match := indexFold(text, w.q)
		if match < 0 {
			return characterWindow{}, false
		}
		end := match + utf16Length(text[match:match+len(w.q)])
		window.MatchStartChars, window.MatchEndChars = &match, &end
		start = max(0, match-w.before)
		if w.context {
			limit = min(maxWindowChars, w.before+len(w.q)+w.after)
		}
	}
	end := start + min(limit, len(text)-start)
	window.Text = string(text[start:end])
	// As on real servers an end is the start and the length of what lies between in UTF-16, which is one too many for each
	// character beyond U+FFFF.
	window.StartChars, window.EndChars, window.LimitChars = start, start+utf16Length(text[start:end]), limit
	window.Complete = start == 0 && end == len(text)
	if end < len(text) {
		window.HasMore, window.NextOffsetChars = true, &window.EndChars
	}
	if start > 0 {
		previous := max(0, start-limit)
		window.PreviousOffsetChars = &previous
	}
	return window, true
}

func utf16Length(text []rune) int { return len(utf16.Encode(text)) }

// indexFold returns the index of the first occurrence of q in text, ignoring letter case, or -1.
func indexFold(text, q []rune) int {
	for start := 0; start+len(q) <= len(text); start++ {
		matched := 0
		for matched < len(q) && foldRune(text[start+matched]) == foldRune(q[matched]) {
			matched++
		}
		if matched == len(q) {
			return start
		}
	}
	return -1
}

func foldRune(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }
