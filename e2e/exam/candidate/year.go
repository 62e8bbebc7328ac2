package candidate

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/e2e/journey/blind"
)

var (
	plays  = []string{"play_history", "plays"}
	events = []string{"events", "calendar_events"}
	money  = []string{"transactions", "payments"}
	issues = []string{"issues"}
)

// ListenedTo answers for how many whole minutes an artist was played.
func ListenedTo(name string) Answer {
	return func(ctx context.Context, c *Candidate) (string, error) {
		music, fields, err := c.meant(ctx, plays, nil, "artist_name|artist", "ms_played|duration_ms")
		if err != nil {
			return "", err
		}
		artist, length := fields[0], fields[1]
		sum, err := c.Aggregate(ctx, of(music).With("metric", "sum").With("field", length).With("filter", blind.Arguments{artist: name}))
		if err == nil {
			total, err := strconv.Atoi(string(sum.Value))
			return strconv.Itoa(total / msInMinute), err
		}
		if !refused(err, "filter") {
			return "", err
		}
		rows, err := c.Rows(ctx, of(music).With("fields", fields).With("limit", maxPage), nil)
		total := 0
		for _, row := range rows {
			if value(row, artist) == name {
				total += number(row, length)
			}
		}
		return strconv.Itoa(total / msInMinute), err
	}
}

const msInMinute = 60_000

// eventTime are the names that the time of an event may have.
const eventTime = "received_at|sent_at|played_at|starts_at|start|booked_at|date"

// Week answers how many mails, messages, songs and payments each account has in seven days, and what the calendar has.
func Week(from time.Time) Answer {
	return func(ctx context.Context, c *Candidate) (string, error) {
		if _, err := c.source(ctx, mails, nil); err != nil {
			return "", err
		}
		var said []string
		for _, names := range [][]string{mails, chats, plays, money} {
			for _, source := range c.index {
				if source.Stream != names[0] {
					continue
				}
				count, err := c.countWeek(ctx, source, from)
				if err != nil {
					return "", err
				}
				said = append(said, answer(source.ConnectionID, count))
			}
		}
		titles, err := c.planned(ctx, from, from.AddDate(0, 0, 7), "title|summary")
		return strings.Join(append(said, titles...), "\n"), err
	}
}

// countWeek counts the records of a source in a week, by a filter, or by groups of weeks if there are no filters.
func (c *Candidate) countWeek(ctx context.Context, source blind.Source, from time.Time) (int, error) {
	stream, err := c.Describe(ctx, of(source))
	if err != nil {
		return 0, err
	}
	fields, err := topic{source, stream}.fields(eventTime)
	if err != nil {
		return 0, err
	}
	at := fields[0]
	question := of(source).With("metric", "count")
	count, err := c.Aggregate(ctx, question.With("filter", blind.Arguments{at: between(from, from.AddDate(0, 0, 7))}))
	if err == nil {
		return strconv.Atoi(string(count.Value))
	}
	if !refused(err, "filter") {
		return 0, err
	}
	weeks, err := c.Aggregate(ctx, question.With("group_by_time", at).With("granularity", "week").
		With("time_zone", from.Location().String()).With("limit", maxPage))
	for _, week := range weeks.Groups {
		if strings.HasPrefix(text(week.Key), from.Format(time.DateOnly)) {
			return week.Count, err
		}
	}
	return 0, err
}

func between(from, to time.Time) blind.Arguments {
	return blind.Arguments{"gte": from.Format(time.RFC3339), "lt": to.Format(time.RFC3339)}
}

// planned returns the times and some fields of the events between two times, the last first.
func (c *Candidate) planned(ctx context.Context, from, to time.Time, meanings ...string) ([]string, error) {
	calendar, fields, err := c.meant(ctx, events, nil, append([]string{eventTime}, meanings...)...)
	if err != nil {
		return nil, err
	}
	at := fields[0]
	rows, err := c.find(ctx, wanted{
		source: calendar, fields: fields, filter: blind.Arguments{at: between(from, to)},
		match: func(row blind.Row) bool { return !instant(row, at).Before(from) && instant(row, at).Before(to) },
		past:  func(row blind.Row) bool { return instant(row, at).Before(from.AddDate(0, 0, -1)) }, // zones disorder rows by less
	})
	var said []string
	for _, row := range rows {
		parts := []any{instant(row, at).In(from.Location()).Format(time.DateTime)}
		for _, name := range fields[1:] {
			parts = append(parts, value(row, name))
		}
		said = append(said, answer(parts...))
	}
	return said, err
}

// Planned answers which events the calendar has on a day, and their local times.
func Planned(day time.Time) Answer {
	return func(ctx context.Context, c *Candidate) (string, error) {
		said, err := c.planned(ctx, day, day.AddDate(0, 0, 1), "title|summary", "location|place")
		return strings.Join(said, "\n"), err
	}
}

// Issue answers who opened the issue with some words in its title, when it was closed, and what it says. If a hit
// cannot be fetched, it reads the stream.
func Issue(words string) Answer {
	return func(ctx context.Context, c *Candidate) (string, error) {
		hits, err := c.hits(ctx, words, issues...)
		if err != nil {
			return "", err
		}
		if hits[0].ID != "" {
			issue, err := c.Fetch(ctx, blind.Arguments{"id": hits[0].ID})
			return answer(issue.Value("author"), issue.Value("closed_at"), issue.Value("body")), err
		}
		forge, fields, err := c.meant(ctx, issues, nil, "title|name", "author|opened_by", "closed_at", "body|text")
		if err != nil {
			return "", err
		}
		title, called := fields[0], unmarked(hits[0].Text)
		issue, err := c.first(ctx, wanted{
			source: forge, fields: fields, filter: blind.Arguments{title: called},
			match: func(row blind.Row) bool { return value(row, title) == called },
		})
		return answer(value(issue, fields[1]), value(issue, fields[2]), value(issue, fields[3])), err
	}
}
