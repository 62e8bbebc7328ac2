package blind

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

var errNoLongText = errors.New("no hit has a text that must be read in windows")

// LongText is a text field that was read to its end.
type LongText struct {
	ID      string
	Text    string
	Windows int
}

// LongestText searches, fetches every hit, and reads the longest text among those that fetch does not
// show whole.
func (r *Reader) LongestText(ctx context.Context, q string) (LongText, error) {
	hits, err := r.SearchAll(ctx, Arguments{"q": q})
	if err != nil {
		return LongText{}, err
	}
	var longest, beginning string
	var start Call
	most := 0
	for _, hit := range hits {
		document, err := look(ctx, r, Arguments{"id": hit.ID}.call("fetch"), r.channel.Document)
		if err != nil {
			return LongText{}, err
		}
		next, clipped := nextCall(document.Next, "read_record_field")
		if !clipped {
			continue
		}
		window, err := look(ctx, r, next, r.channel.Window)
		if err != nil {
			return LongText{}, err
		}
		if window.Total > most {
			longest, start, most = document.ID, next, window.Total
			beginning = document.before(next)
		}
	}
	if longest == "" {
		return LongText{}, errNoLongText
	}
	text, windows, err := r.readOn(ctx, start)
	return LongText{ID: longest, Text: beginning + text, Windows: windows}, err
}

// before is what a document shows of a field before the place at which a call reads on: so many characters behind its
// name.
func (d Document) before(call Call) string {
	var from struct {
		Path   string `json:"field_path"`
		Offset int    `json:"offset_chars"`
	}
	if json.Unmarshal([]byte(call.Arguments), &from) != nil {
		return ""
	}
	_, shown, _ := strings.Cut("\n"+d.Text, "\n"+from.Path+":")
	if characters := []rune(shown); len(characters) > from.Offset {
		return string(characters[1 : from.Offset+1])
	}
	return ""
}

// SearchAll returns every hit, page by page.
func (r *Reader) SearchAll(ctx context.Context, question Arguments) ([]Hit, error) {
	var all []Hit
	call := question.call("search")
	for range pagesMost {
		hits, err := look(ctx, r, call, r.channel.Hits)
		if err != nil {
			return all, err
		}
		all = append(all, hits.List...)
		if !hits.HasMore {
			return all, nil
		}
		next, found := nextCall(hits.Next, "search")
		if !found || next == call {
			return all, puzzled(call, fmt.Sprint(all), "next page of hits", nil)
		}
		call = next
	}
	return all, errEndless
}

// readOn reads a field window by window until there is no more of it.
func (r *Reader) readOn(ctx context.Context, call Call) (string, int, error) {
	var text strings.Builder
	for windows := 1; windows <= pagesMost; windows++ {
		window, err := look(ctx, r, call, r.channel.Window)
		if err != nil {
			return text.String(), windows, err
		}
		text.WriteString(window.Text)
		if !window.HasMore {
			return text.String(), windows, nil
		}
		next, found := nextCall(window.Next, "read_record_field")
		if !found || next == call {
			return text.String(), windows, puzzled(call, window.Text, "next window", nil)
		}
		call = next
	}
	return text.String(), pagesMost, errEndless
}
