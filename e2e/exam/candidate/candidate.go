// Package candidate takes the exam in place of a model. A Candidate reads with a blind reader, which sees only the
// strings of one channel. It starts with what a competent model would try that knows only the instructions, the tools
// and the question, and takes ids and the names of streams and fields from results. After an error it tries another way
// if the error or an earlier result shows one.
package candidate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/e2e/journey/blind"
)

// ErrNoWay reports that no result leads to an answer.
var ErrNoWay = errors.New("nothing that was shown leads to an answer")

// Candidate answers one question, as in a new session. It is not safe for concurrent use.
type Candidate struct {
	*blind.Reader
	index []blind.Source // once it was read
}

// Answer finds the answer to a question, or returns an error if it finds none.
type Answer func(context.Context, *Candidate) (string, error)

// maxPage is the largest page that the arguments' descriptions allow.
const maxPage = 100

// source finds the stream with one of the names, in the account with one of the labels. Without labels it returns the
// first stream.
func (c *Candidate) source(ctx context.Context, names, labels []string) (blind.Source, error) {
	if c.index == nil {
		all, err := c.Index(ctx)
		if err != nil {
			return blind.Source{}, err
		}
		c.index = all
	}
	for _, name := range names {
		for _, source := range c.index {
			if source.Stream == name && (len(labels) == 0 || mentions(source.Label, labels)) {
				return source, nil
			}
		}
	}
	return blind.Source{}, fmt.Errorf("%w: no stream is called one of %q", ErrNoWay, names)
}

func mentions(text string, words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(strings.ToLower(text), word) })
}

// topic is a source whose schema was read.
type topic struct {
	blind.Source
	stream blind.Stream
}

// topic reads the index, and the schema of the stream.
func (c *Candidate) topic(ctx context.Context, names, labels []string) (topic, error) {
	source, err := c.source(ctx, names, labels)
	if err != nil {
		return topic{}, err
	}
	stream, err := c.Describe(ctx, of(source))
	return topic{source, stream}, err
}

// of returns the arguments that name a source.
func of(source blind.Source) blind.Arguments {
	return blind.Arguments{"stream": source.Stream, "connection_id": source.ConnectionID}
}

// fields returns the field of each meaning: the first of the names between bars that the schema lists.
func (t topic) fields(meanings ...string) ([]string, error) {
	var meant []string
	for _, meaning := range meanings {
		names := strings.Split(meaning, "|")
		at := slices.IndexFunc(names, func(name string) bool {
			return slices.ContainsFunc(t.stream.Fields, func(field blind.Field) bool { return field.Name == name })
		})
		if at < 0 {
			return nil, fmt.Errorf("%w: %s has no field like %q", ErrNoWay, t.Stream, names)
		}
		meant = append(meant, names[at])
	}
	return meant, nil
}

// meant reads the schema of a stream, and returns the fields with the meanings.
func (c *Candidate) meant(ctx context.Context, names, labels []string, meanings ...string) (blind.Source, []string, error) {
	about, err := c.topic(ctx, names, labels)
	if err != nil {
		return blind.Source{}, nil, err
	}
	fields, err := about.fields(meanings...)
	return about.Source, fields, err
}

// wanted selects the records of a question: by a filter, and by the same test for a provider that refuses filters.
type wanted struct {
	source blind.Source
	fields []string
	filter blind.Arguments
	match  func(blind.Row) bool
	past   func(blind.Row) bool // reports whether no later row can match, newest first; may be nil
	few    int                  // the number of records that suffice; 0 for all
}

// find returns the wanted records, newest first.
func (c *Candidate) find(ctx context.Context, w wanted) ([]blind.Row, error) {
	question := of(w.source).With("fields", w.fields)
	limit := maxPage
	if w.few > 0 {
		limit = w.few
	}
	rows, err := c.Rows(ctx, question.With("limit", limit).With("filter", w.filter), func(rows []blind.Row) bool {
		return w.few > 0 && len(rows) >= w.few
	})
	if !refused(err, "filter") {
		return rows, err
	}
	rows, err = c.Rows(ctx, question.With("limit", maxPage), func(rows []blind.Row) bool {
		found := 0
		for _, row := range rows {
			if w.match(row) {
				found++
			}
		}
		return w.few > 0 && found >= w.few || w.past != nil && w.past(rows[len(rows)-1])
	})
	matching := slices.DeleteFunc(rows, func(row blind.Row) bool { return !w.match(row) })
	if w.few > 0 && len(matching) > w.few {
		matching = matching[:w.few]
	}
	return matching, err
}

// first returns the newest wanted record.
func (c *Candidate) first(ctx context.Context, w wanted) (blind.Row, error) {
	w.few = 1
	rows, err := c.find(ctx, w)
	if err != nil || len(rows) == 0 {
		return blind.Row{}, cmp.Or(err, ErrNoWay)
	}
	return rows[0], nil
}

// refused reports whether a call was refused because of an argument, which its param or its message names.
func refused(err error, argument string) bool {
	var refusal *blind.RefusedError
	if !errors.As(err, &refusal) {
		return false
	}
	return refusal.Param == argument || strings.HasPrefix(refusal.Param, argument+"[") || strings.Contains(refusal.Message, argument)
}

// tally counts the records of a source by the value of a field, itself if the provider does not group.
func (c *Candidate) tally(ctx context.Context, source blind.Source, field string) (map[string]int, error) {
	counts := map[string]int{}
	groups, err := c.Aggregate(ctx, of(source).With("metric", "count").With("group_by", field).With("limit", maxPage))
	if err == nil && groups.Others == 0 {
		for _, group := range groups.Groups {
			counts[text(group.Key)] = group.Count
		}
		return counts, nil
	}
	if err != nil && !refused(err, "group_by") {
		return nil, err
	}
	rows, err := c.Rows(ctx, of(source).With("fields", []string{field}).With("limit", maxPage), nil)
	for _, row := range rows {
		counts[value(row, field)]++
	}
	return counts, err
}

// largest returns the key with the highest count. Among equal counts it returns the first by name.
func largest(counts map[string]int) (string, int) {
	best, most := "", -1
	for key, count := range counts {
		if count > most || count == most && key < best {
			best, most = key, count
		}
	}
	return best, most
}

// text returns a JSON value as plain text.
func text(value json.RawMessage) string {
	var said string
	if json.Unmarshal(value, &said) == nil {
		return said
	}
	return string(value)
}

// value returns the value of a field in a row, or the beginning of a clipped text.
func value(row blind.Row, field string) string {
	if clipped, ok := row.Clipped[field]; ok {
		return clipped
	}
	return text(row.Values[field])
}

func number(row blind.Row, field string) int {
	var n int
	if json.Unmarshal(row.Values[field], &n) != nil {
		return 0
	}
	return n
}

// instant returns the time in a field of a row.
func instant(row blind.Row, field string) time.Time {
	at, err := time.Parse(time.RFC3339, value(row, field))
	if err != nil {
		return time.Time{}
	}
	return at
}

// key returns the record's own id in a handle such as cin_1/messages:m1.
func key(handle string) string {
	_, rest, _ := strings.Cut(handle, "/")
	_, id, _ := strings.Cut(rest, ":")
	return id
}

// answer puts the parts of an answer together.
func answer(parts ...any) string {
	var said []string
	for _, part := range parts {
		said = append(said, fmt.Sprint(part))
	}
	return strings.Join(said, "; ")
}
