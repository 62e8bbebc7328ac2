package candidate

import (
	"cmp"
	"context"
	"encoding/csv"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/e2e/journey/blind"
)

// enclosed has the fields that locate the files of a mail.
type enclosed struct {
	mail, belongs, kind, content string // the mail's own id, and the fields of its files
	files                        blind.Source
	fields                       []string
}

// enclosed finds a mail by words, and the stream of its files.
func (c *Candidate) enclosed(ctx context.Context, words string, more ...string) (enclosed, error) {
	hits, err := c.hits(ctx, words, mails...)
	if err != nil {
		return enclosed{}, err
	}
	files, fields, err := c.meant(ctx, attachments, private,
		append([]string{"message_id|mail_id", "content_type|mime_type", "blob_ref|content"}, more...)...)
	if err != nil {
		return enclosed{}, err
	}
	return enclosed{key(hits[0].ID), fields[0], fields[1], fields[2], files, fields}, nil
}

// file returns the mail's first file of a kind, whatever the parameters of its media type.
func (c *Candidate) file(ctx context.Context, in enclosed, kind string) (blind.Row, error) {
	rows, err := c.find(ctx, wanted{
		source: in.files, fields: in.fields, filter: blind.Arguments{in.belongs: in.mail},
		match: func(row blind.Row) bool { return value(row, in.belongs) == in.mail },
	})
	at := slices.IndexFunc(rows, func(row blind.Row) bool { return strings.HasPrefix(value(row, in.kind), kind) })
	if err != nil || at < 0 {
		return blind.Row{}, cmp.Or(err, ErrNoWay)
	}
	return rows[at], nil
}

// Statement adds up the amounts of the table that came with a mail.
func Statement(words string) Answer {
	const table = "text/csv"
	return func(ctx context.Context, c *Candidate) (string, error) {
		in, err := c.enclosed(ctx, words)
		if err != nil {
			return "", err
		}
		file, err := c.first(ctx, wanted{
			source: in.files, fields: in.fields, filter: blind.Arguments{in.belongs: in.mail, in.kind: table},
			match: func(row blind.Row) bool { return value(row, in.belongs) == in.mail && value(row, in.kind) == table },
		})
		if err != nil {
			return "", err
		}
		rows, err := c.ReadOn(ctx, file, in.content)
		if err != nil {
			return "", err
		}
		return total(rows)
	}
}

// total adds up the column of amounts of a CSV table, in cents.
func total(table string) (string, error) {
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil || len(rows) == 0 {
		return "", cmp.Or(err, ErrNoWay)
	}
	column, cents := slices.Index(rows[0], "amount"), 0
	for _, row := range rows[1:] {
		if column < 0 {
			return "", ErrNoWay
		}
		amount, err := strconv.Atoi(strings.Replace(row[column], ".", "", 1))
		if err != nil {
			return "", err
		}
		cents += amount
	}
	return strconv.Itoa(cents), nil
}

// Ends answers when and where the event of an attached calendar file ends.
func Ends(words string, zone *time.Location) Answer {
	return func(ctx context.Context, c *Candidate) (string, error) {
		in, err := c.enclosed(ctx, words)
		if err != nil {
			return "", err
		}
		file, err := c.file(ctx, in, "text/calendar")
		if err != nil {
			return "", err
		}
		calendar, err := c.ReadOn(ctx, file, in.content)
		if err != nil {
			return "", err
		}
		end, err := time.Parse("20060102T150405Z", property(calendar, "DTEND"))
		return answer(end.In(zone).Format(time.DateTime), strings.ReplaceAll(property(calendar, "LOCATION"), `\,`, ",")), err
	}
}

// property returns the value of a line of a calendar file (RFC 5545), whose lines here are short.
func property(calendar, name string) string {
	for line := range strings.SplitSeq(calendar, "\r\n") {
		if said, found := strings.CutPrefix(line, name+":"); found {
			return said
		}
	}
	return ""
}

// Shown answers the name, the media type and the size of an attached picture, and which picture it is.
func Shown(words string) Answer {
	return func(ctx context.Context, c *Candidate) (string, error) {
		in, err := c.enclosed(ctx, words, "filename|name")
		if err != nil {
			return "", err
		}
		file, err := c.file(ctx, in, "image/")
		if err != nil {
			return "", err
		}
		picture, err := c.Picture(ctx, file, in.content)
		return answer(value(file, in.fields[3]), picture.MediaType, picture.Size, picture.Digest), err
	}
}
