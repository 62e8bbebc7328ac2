package candidate

import (
	"context"
	"regexp"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/e2e/journey/blind"
)

// around is how much is read after a match in a document.
const around = 300

// InDocument answers from a document that a search finds by its name. It reads the text after some words, and a pattern takes
// the answer.
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
