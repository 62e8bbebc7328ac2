package candidate

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/e2e/journey/blind"
)

// hits searches for words, in the streams that one of the names means, without names in all. It takes every page: which
// hit is the newest, the first of them does not say.
func (c *Candidate) hits(ctx context.Context, words string, names ...string) ([]blind.Hit, error) {
	question := blind.Arguments{"q": words}
	if len(names) > 0 {
		source, err := c.source(ctx, names, nil)
		if err != nil {
			return nil, err
		}
		question["streams"] = []string{source.Stream}
	}
	found, err := c.SearchAll(ctx, question)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%w: no hits for %q", ErrNoWay, words)
	}
	return found, err
}

// originals returns the hits that answer and forward nothing, the newest first.
func originals(hits []blind.Hit) []blind.Hit {
	first := slices.DeleteFunc(slices.Clone(hits), func(hit blind.Hit) bool {
		shown := unmarked(hit.Text)
		return strings.HasPrefix(shown, "Re: ") || strings.HasPrefix(shown, "Fwd: ")
	})
	slices.SortStableFunc(first, newestFirst)
	return first
}

func newestFirst(a, b blind.Hit) int { return b.Time.Compare(a.Time) }

func unmarked(shown string) string {
	return strings.NewReplacer("<mark>", "", "</mark>", "").Replace(shown)
}

var (
	dayOfYear = regexp.MustCompile(`\d{1,2} (?:January|February|March|April|May|June|July|August|September|October|November|December) \d{4}`)
	euros     = regexp.MustCompile(`[\d,]+\.\d\d EUR`)
)

// original reads the mails that a search finds and that are not replies, the newest first, until read returns an
// answer.
func (c *Candidate) original(ctx context.Context, words string, read func(blind.Hit, blind.Document) (string, error)) (string, error) {
	hits, err := c.hits(ctx, words, mails...)
	if err != nil {
		return "", err
	}
	for _, hit := range originals(hits) {
		mail, err := c.Fetch(ctx, blind.Arguments{"id": hit.ID})
		if err != nil {
			return "", err
		}
		if said, err := read(hit, mail); said != "" || err != nil {
			return said, err
		}
	}
	return "", ErrNoWay
}

// Announced answers the date in the subject of the newest mail about something, and who wrote it.
func Announced(words string) Answer {
	return func(ctx context.Context, c *Candidate) (string, error) {
		return c.original(ctx, words, func(_ blind.Hit, mail blind.Document) (string, error) {
			day := dayOfYear.FindString(mail.Value("subject"))
			if day == "" {
				return "", nil
			}
			return answer(day, mail.Value("from_name")), nil
		})
	}
}

// Mailbox answers in which mailbox a mail is, by its connection.
func Mailbox(words string) Answer {
	return func(ctx context.Context, c *Candidate) (string, error) {
		hits, err := c.hits(ctx, words, mails...)
		var accounts []string
		for _, hit := range hits {
			account, _, _ := strings.Cut(hit.ID, "/")
			accounts = append(accounts, account)
		}
		slices.Sort(accounts)
		return strings.Join(slices.Compact(accounts), ", "), err
	}
}

// LastHeard answers when the newest mail of a sender came, and to which mailbox. The sender's address has a name in it.
func LastHeard(name string) Answer {
	return func(ctx context.Context, c *Candidate) (string, error) {
		hits, err := c.hits(ctx, name, mails...)
		if err != nil {
			return "", err
		}
		slices.SortStableFunc(hits, newestFirst)
		for _, hit := range hits {
			mail, err := c.Fetch(ctx, blind.Arguments{"id": hit.ID, "fields": []string{"from_email", "received_at"}})
			if err != nil {
				return "", err
			}
			if account, _, _ := strings.Cut(hit.ID, "/"); strings.HasPrefix(mail.Value("from_email"), name) {
				return answer(account, mail.Value("received_at")), nil
			}
		}
		return "", ErrNoWay
	}
}

// Nothing answers that a search finds none of the words.
func Nothing(words ...string) Answer {
	return func(ctx context.Context, c *Candidate) (string, error) {
		hits, err := c.hits(ctx, strings.Join(words, " "))
		if errors.Is(err, ErrNoWay) {
			return "nothing", nil
		}
		if len(hits) == 0 {
			return "", err
		}
		return unmarked(hits[0].Text), err
	}
}

// NoSource answers that the index has no stream with any of the names.
func NoSource(names ...string) Answer {
	return func(ctx context.Context, c *Candidate) (string, error) {
		source, err := c.source(ctx, names, nil)
		if errors.Is(err, ErrNoWay) {
			return "no such data", nil
		}
		return source.Stream, err
	}
}

// Dearer answers when the price of a subscription rose, from what and to what.
func Dearer(words string) Answer {
	return func(ctx context.Context, c *Candidate) (string, error) {
		hits, err := c.hits(ctx, words, mails...)
		if err != nil {
			return "", err
		}
		for _, hit := range originals(hits) {
			said, err := c.body(ctx, hit.ID)
			if err != nil {
				return "", err
			}
			prices := euros.FindAllString(said, -1)
			if day := dayOfYear.FindString(said); day != "" && len(prices) == 2 {
				return answer(day, prices[1], prices[0]), nil
			}
		}
		return "", ErrNoWay
	}
}

// Parcel answers the number, day and place of a parcel's delivery. It ignores mail that is marked as spam.
func Parcel(words string) Answer {
	number, place := regexp.MustCompile(`PP-[\d-]+\d`), regexp.MustCompile(`comes to (.+?) on `)
	return func(ctx context.Context, c *Candidate) (string, error) {
		return c.original(ctx, words, func(hit blind.Hit, mail blind.Document) (string, error) {
			if strings.Contains(mail.Value("labels"), "SPAM") || !strings.Contains(mail.Text, "Found") {
				return "", nil
			}
			said, err := c.body(ctx, hit.ID)
			where := place.FindStringSubmatch(said)
			if err != nil || where == nil {
				return "", err
			}
			return answer(number.FindString(mail.Value("subject")), dayOfYear.FindString(said), where[1]), nil
		})
	}
}

// Clause quotes the passage between two marks in the newest text that a search finds.
func Clause(words, from, to string) Answer {
	return func(ctx context.Context, c *Candidate) (string, error) {
		hits, err := c.hits(ctx, words, bodies...)
		if err != nil {
			return "", err
		}
		newest := slices.MaxFunc(hits, func(a, b blind.Hit) int { return a.Time.Compare(b.Time) })
		window, err := c.Passage(ctx, blind.Arguments{"id": newest.ID, "field_path": newest.Field, "q": from})
		if err != nil {
			return "", err
		}
		_, rest, found := strings.Cut(window.Text, from)
		passage, _, ended := strings.Cut(rest, to)
		if !found || !ended {
			return "", ErrNoWay
		}
		return from + strings.TrimSpace(passage), nil
	}
}
