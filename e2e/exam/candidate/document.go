package candidate

import (
	"cmp"
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/e2e/journey/blind"
)

// around is the number of characters that are read after a match in a document.
const around = 300

// InDocument answers from a document that a search finds by its name. It reads the text after some words, and the
// answer is the match of a pattern.
func InDocument(name, words, pattern string) Answer {
	wanted := regexp.MustCompile(pattern)
	return func(ctx context.Context, c *Candidate) (string, error) {
		hits, err := c.hits(ctx, name)
		if err != nil {
			return "", err
		}
		for _, hit := range hits {
			found, err := c.Fetch(ctx, blind.Arguments{"id": hit.ID})
			if err != nil {
				return "", err
			}
			question, shown := found.Reads()
			if !shown {
				continue
			}
			for _, placed := range []string{"offset_chars", "limit_chars"} {
				delete(question, placed)
			}
			window, err := c.Passage(ctx, question.With("q", words).With("after_chars", around))
			if err != nil {
				return "", err
			}
			if said := wanted.FindStringSubmatch(window.Text); said != nil {
				return answer(strings.Join(said[1:], "; ")), nil
			}
		}
		return "", ErrNoWay
	}
}

// Scan reads a page of a scanned document, and answers its media type and its size. It finds the document by its name.
func Scan(name string) Answer {
	return func(ctx context.Context, c *Candidate) (string, error) {
		hits, err := c.hits(ctx, name)
		if err != nil {
			return "", err
		}
		found, err := c.Fetch(ctx, blind.Arguments{"id": hits[0].ID})
		if err != nil {
			return "", err
		}
		question, isShown := found.Reads()
		if !isShown {
			return "", ErrNoWay
		}
		page, err := c.Page(ctx, question)
		return answer(page.MediaType, page.Size), err
	}
}

// NewestDocument answers with the match of a pattern in the newest file of a media type in the private mailbox.
func NewestDocument(mediaType, pattern string) Answer {
	said := regexp.MustCompile(pattern)
	return func(ctx context.Context, c *Candidate) (string, error) {
		files, err := c.source(ctx, attachments, private)
		if err != nil {
			return "", err
		}
		isWanted := func(row blind.Row) bool {
			for field := range row.Values {
				if value(row, field) == mediaType {
					return true
				}
			}
			return false
		}
		rows, err := c.Rows(ctx, of(files), func(rows []blind.Row) bool { return slices.ContainsFunc(rows, isWanted) })
		at := slices.IndexFunc(rows, isWanted)
		if err != nil || at < 0 || len(rows[at].Next) == 0 {
			return "", cmp.Or(err, ErrNoWay)
		}
		text, err := c.ReadOn(ctx, rows[at], field(rows[at].Next[0]))
		if found := said.FindStringSubmatch(text); found != nil {
			return answer(strings.Join(found[1:], "; ")), nil
		}
		return "", cmp.Or(err, ErrNoWay)
	}
}

// field returns the field that a call reads.
func field(call blind.Call) string {
	var names struct {
		Path string `json:"field_path"`
	}
	_ = json.Unmarshal([]byte(call.Arguments), &names) // without a name the call is refused
	return names.Path
}
