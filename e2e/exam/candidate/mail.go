package candidate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/e2e/journey/blind"
)

// What a person calls things, and how streams may be called that hold them.
var (
	mails       = []string{"messages", "mails", "emails"}
	bodies      = []string{"message_bodies", "bodies"}
	attachments = []string{"attachments", "files"}
	private     = []string{"personal", "private"}
)

// WroteMost answers who except me has written most often to the private mailbox, how often, and when last.
func WroteMost(me string) Answer {
	return func(ctx context.Context, c *Candidate) (string, error) {
		mail, fields, err := c.meant(ctx, mails, private, "from_email|from|sender", "received_at|date")
		if err != nil {
			return "", err
		}
		sender, received := fields[0], fields[1]
		counts, err := c.tally(ctx, mail, sender)
		if err != nil {
			return "", err
		}
		delete(counts, me)
		who, times := largest(counts)
		newest, err := c.first(ctx, wanted{
			source: mail, fields: fields, filter: blind.Arguments{sender: who},
			match: func(row blind.Row) bool { return value(row, sender) == who },
		})
		return answer(who, times, value(newest, received)), err
	}
}

// Unread answers how many mails of the private mailbox are unread, and what the newest is about.
func Unread(ctx context.Context, c *Candidate) (string, error) {
	mail, fields, err := c.meant(ctx, mails, private, "subject|title", "is_seen|is_read|seen")
	if err != nil {
		return "", err
	}
	subject, seen := fields[0], fields[1]
	counts, err := c.tally(ctx, mail, seen)
	if err != nil {
		return "", err
	}
	newest, err := c.first(ctx, wanted{
		source: mail, fields: fields, filter: blind.Arguments{seen: false},
		match: func(row blind.Row) bool { return value(row, seen) == "false" },
	})
	return answer(counts["false"], value(newest, subject)), err
}

// LongestLetter reads the longest mail of a person in the private mailbox to its end.
func LongestLetter(name string) Answer {
	return func(ctx context.Context, c *Candidate) (string, error) {
		mail, fields, err := c.meant(ctx, mails, private, "from_name|from|sender", "size_bytes|size")
		if err != nil {
			return "", err
		}
		from, size := fields[0], fields[1]
		letters, err := c.find(ctx, wanted{
			source: mail, fields: fields, filter: blind.Arguments{from: name},
			match: func(row blind.Row) bool { return value(row, from) == name },
		})
		if err != nil || len(letters) == 0 {
			return "", cmp.Or(err, ErrNoWay)
		}
		longest := slices.MaxFunc(letters, func(a, b blind.Row) int { return cmp.Compare(number(a, size), number(b, size)) })
		return c.body(ctx, longest.ID)
	}
}

// body reads the text of a mail from its separate stream.
func (c *Candidate) body(ctx context.Context, handle string) (string, error) {
	source, err := c.source(ctx, bodies, nil)
	if err != nil {
		return "", err
	}
	source.ConnectionID, _, _ = strings.Cut(handle, "/")
	stream, err := c.Describe(ctx, of(source))
	if err != nil {
		return "", err
	}
	fields, err := topic{source, stream}.fields("message_id|mail_id", "body_text|text|body")
	if err != nil {
		return "", err
	}
	belongs, content := fields[0], fields[1]
	row, err := c.first(ctx, wanted{
		source: source, fields: []string{belongs}, filter: blind.Arguments{belongs: key(handle)},
		match: func(row blind.Row) bool { return value(row, belongs) == key(handle) },
	})
	if err != nil {
		return "", err
	}
	return c.Field(ctx, row.ID, content, 0)
}

// LargestFile names the largest file that came with a mail of the private mailbox, its size, and the mail's subject.
func LargestFile(ctx context.Context, c *Candidate) (string, error) {
	files, fields, err := c.meant(ctx, attachments, private, "filename|name", "size_bytes|size", "message_id|mail_id")
	if err != nil {
		return "", err
	}
	name, size, belongs := fields[0], fields[1], fields[2]
	most, err := c.Aggregate(ctx, of(files).With("metric", "max").With("field", size))
	if err != nil {
		return "", err
	}
	file, err := c.first(ctx, wanted{
		source: files, fields: fields, filter: blind.Arguments{size: most.Value},
		match: func(row blind.Row) bool { return string(row.Values[size]) == string(most.Value) },
	})
	if err != nil {
		return "", err
	}
	mail, err := c.source(ctx, mails, private)
	if err != nil {
		return "", err
	}
	handle := fmt.Sprintf("%s/%s:%s", mail.ConnectionID, mail.Stream, value(file, belongs))
	document, err := c.Fetch(ctx, blind.Arguments{"id": handle, "fields": []string{"subject"}})
	return answer(value(file, name), number(file, size), document.Value("subject")), err
}
