package candidate

import (
	"cmp"
	"context"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/e2e/journey/blind"
)

var chats = []string{"chat_messages", "posts"}

// WritesMost answers who writes most in the team chat, and how much.
func WritesMost(ctx context.Context, c *Candidate) (string, error) {
	chat, fields, err := c.meant(ctx, chats, nil, "user_name|author|user_id")
	if err != nil {
		return "", err
	}
	counts, err := c.tally(ctx, chat, fields[0])
	who, messages := largest(counts)
	return answer(who, messages), err
}

// Decided quotes the decision that the team chat found, who wrote it, and when.
func Decided(words string) Answer {
	return func(ctx context.Context, c *Candidate) (string, error) {
		hits, err := c.hits(ctx, words, chats...)
		if err != nil {
			return "", err
		}
		said, err := c.Fetch(ctx, blind.Arguments{"id": hits[0].ID})
		return answer(said.Value("user_name"), said.Value("sent_at"), said.Value("text")), err
	}
}

// Changed requests a bookmark for the changes of the team chat, calls change, and answers what changed since the
// bookmark.
func Changed(change func() error) Answer {
	return func(ctx context.Context, c *Candidate) (string, error) {
		source, err := c.source(ctx, chats, nil)
		if err != nil {
			return "", err
		}
		topic := blind.Topic{Stream: source.Stream, Label: source.Label}
		_, bookmark, err := c.Changes(ctx, topic, "now", blind.ByCall)
		if err := cmp.Or(err, change()); err != nil {
			return "", err
		}
		rows, _, err := c.Changes(ctx, topic, bookmark, blind.ByCall)
		var said []string
		for _, row := range rows {
			said = append(said, map[bool]string{true: "deleted ", false: "changed "}[row.Deleted]+key(row.ID))
		}
		return strings.Join(said, ", "), err
	}
}
