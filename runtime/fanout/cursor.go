package fanout

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const (
	cursorVersion = 1

	// cursorCharacters bounds a cursor. A text result shows it twice within 8,000 characters (R-BUD-2).
	cursorCharacters = 3_000
)

// cursor is the place of a search in every source that may have more hits, in the order of their turns. It
// is all that is kept of a search between its pages, so any replica can go on, also with a newer token. It
// holds no secret; who changes it reaches nothing but other places in the caller's own sources.
type cursor struct {
	Version   int     `json:"v"`
	Question  string  `json:"q"`           // what the cursor is bound to
	Count     *int64  `json:"n,omitempty"` // all hits of all sources, when the first page knew
	Positions []place `json:"s"`
}

// place is where the next hit of a source is. A source that has no more hits has none.
type place struct {
	GrantID string `json:"g"`
	position
}

// position is a hit of a source: the page that begins at the source's own cursor, and how many hits of it
// come before.
type position struct {
	Cursor string `json:"c,omitempty"` // empty: the first page
	Skip   int    `json:"k,omitempty"`
}

// questionOf stands for what a cursor is bound to: everything of a request but its page. Parameters count
// without their order, as a filter may be spelled in another order for the next page.
func questionOf(request rs.Request) string {
	var parameters []string
	for _, parameter := range request.Query.Without("cursor", "limit").Parameters() {
		parameters = append(parameters, fmt.Sprintf("%q=%q", parameter.Name, parameter.Value))
	}
	slices.Sort(parameters)
	sum := sha256.Sum256([]byte(string(request.Path) + "?" + strings.Join(parameters, "&")))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

func (c cursor) encode() string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(c); err != nil {
		panic("fanout: strings and integers always encode: " + err.Error())
	}
	return base64.RawURLEncoding.EncodeToString(bytes.TrimSuffix(text.Bytes(), []byte("\n")))
}

// parseCursor reads a cursor that encode wrote for the same question, and nothing else.
func parseCursor(text, question string) (cursor, error) {
	if len(text) > cursorCharacters {
		return cursor{}, cursorRefused(fmt.Sprintf("is longer than %d characters", cursorCharacters), nil)
	}
	decoded, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return cursor{}, cursorRefused("is malformed", err)
	}
	var parsed cursor
	if err := json.Unmarshal(decoded, &parsed); err != nil {
		return cursor{}, cursorRefused("is malformed", err)
	}
	switch {
	case parsed.Version != cursorVersion:
		return cursor{}, cursorRefused(fmt.Sprintf("is of version %d, which is not known here", parsed.Version), nil)
	case parsed.encode() != text:
		return cursor{}, cursorRefused("is malformed", nil) // unknown members, another spelling, something after it
	case parsed.Question != question:
		return cursor{}, cursorRefused("belongs to another search: q, mode, streams and filter must stay the same", nil)
	}
	return parsed, parsed.check()
}

// check refuses places that no page leads to.
func (c cursor) check() error {
	if len(c.Positions) == 0 || c.Count != nil && *c.Count < 0 {
		return cursorRefused("is malformed", nil)
	}
	seen := map[string]bool{}
	for _, place := range c.Positions {
		if place.GrantID == "" || seen[place.GrantID] || place.Skip < 0 {
			return cursorRefused("is malformed", nil)
		}
		seen[place.GrantID] = true
	}
	return nil
}

func cursorRefused(problem string, cause error) *tool.Error {
	return &tool.Error{
		Code:    tool.InvalidArguments,
		Message: "the cursor " + problem + "; pass next_cursor of the page before as it is, or search again without cursor",
		Param:   "cursor",
		Cause:   cause,
	}
}
