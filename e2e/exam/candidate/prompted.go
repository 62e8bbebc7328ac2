package candidate

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/e2e/journey/blind"
)

// Prompted is a candidate that makes the calls of a prompt. Words in capitals are values that an earlier result showed.
// It knows the grant only from these calls, and the question only from the prompt.
type Prompted struct {
	*Candidate
	prompt string
	calls  []prompted
}

// prompted is a call as the prompt has it.
type prompted struct {
	blind.Call
	words []string // in capitals, in alphabetical order
}

var (
	inBackticks = regexp.MustCompile("`([a-z_]+) ([^`]*)`")
	inCapitals  = regexp.MustCompile(`"([A-Z]{2,})"`)
)

// Follow reads a prompt.
func Follow(reader *blind.Reader, prompt string) *Prompted {
	p := &Prompted{Candidate: &Candidate{Reader: reader}, prompt: prompt}
	for _, found := range inBackticks.FindAllStringSubmatch(prompt, -1) {
		call := prompted{Call: blind.Call{Tool: found[1], Arguments: found[2]}}
		for _, word := range inCapitals.FindAllStringSubmatch(found[2], -1) {
			call.words = append(call.words, word[1])
		}
		slices.Sort(call.words)
		p.calls = append(p.calls, call)
	}
	return p
}

// call returns the arguments of the call of a tool that has exactly these words, with their values.
func (p *Prompted) call(tool string, words map[string]string) (blind.Arguments, error) {
	wanted := slices.Sorted(maps.Keys(words))
	for _, call := range p.calls {
		if call.Tool != tool || !slices.Equal(call.words, wanted) {
			continue
		}
		filled := inCapitals.ReplaceAllStringFunc(call.Arguments, func(word string) string {
			value, _ := json.Marshal(words[strings.Trim(word, `"`)])
			return string(value)
		})
		var arguments blind.Arguments
		err := json.Unmarshal([]byte(filled), &arguments)
		return arguments, err
	}
	return nil, fmt.Errorf("%w: the prompt has no call of %s with %q:\n%s", ErrNoWay, tool, wanted, p.prompt)
}

// sources makes the prompt's first call, and returns the streams with a name, or all streams if the name is empty.
func (p *Prompted) sources(ctx context.Context, stream string) ([]blind.Source, error) {
	if arguments, err := p.call("schema", nil); err != nil || len(arguments) > 0 {
		return nil, fmt.Errorf("the first call has the arguments %v: %w", arguments, err)
	}
	all, err := p.Index(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(source blind.Source) bool { return stream != "" && source.Stream != stream }), nil
}

// WhatIsHere answers which connections there are, after reads of three of their streams.
func (p *Prompted) WhatIsHere(ctx context.Context) (string, error) {
	all, err := p.sources(ctx, "")
	if err != nil {
		return "", err
	}
	var connections []string
	for i, source := range all {
		connections = append(connections, source.ConnectionID)
		if i >= 3 {
			continue
		}
		words := map[string]string{"STREAM": source.Stream}
		described, err := p.call("schema", words)
		if err != nil {
			return "", err
		}
		if _, err := p.Describe(ctx, described.With("connection_id", source.ConnectionID)); err != nil {
			return "", err
		}
		newest, err := p.call("query_records", words)
		if err != nil {
			return "", err
		}
		rows, err := p.Rows(ctx, newest.With("connection_id", source.ConnectionID), enough)
		if err != nil || len(rows) == 0 {
			return "", fmt.Errorf("%s shows %d rows: %w", source.Stream, len(rows), err)
		}
	}
	slices.Sort(connections)
	return strings.Join(slices.Compact(connections), "\n"), nil
}

func enough([]blind.Row) bool { return true }

// WhatIsNew answers how many records of a stream each connection has since the prompt's day.
func (p *Prompted) WhatIsNew(stream string) Answer {
	return func(ctx context.Context, _ *Candidate) (string, error) {
		counts := map[string]int{}
		rows, err := p.timeline(ctx, stream)
		for _, row := range rows {
			connection, _, _ := strings.Cut(row.ID, "/")
			counts[connection]++
		}
		var lines []string
		for _, connection := range slices.Sorted(maps.Keys(counts)) {
			lines = append(lines, answer(connection, counts[connection]))
		}
		return strings.Join(lines, "\n"), err
	}
}

// OneDay answers the times and ids of a stream's records of the prompt's day.
func (p *Prompted) OneDay(stream string) Answer {
	return func(ctx context.Context, _ *Candidate) (string, error) {
		var lines []string
		rows, err := p.timeline(ctx, stream)
		for _, row := range rows {
			lines = append(lines, answer(instant(row, "time").UTC().Format(time.DateTime), key(row.ID)))
		}
		slices.Sort(lines)
		return strings.Join(lines, "\n"), err
	}
}

// timeline makes the prompt's call of all streams, and returns the rows of one.
func (p *Prompted) timeline(ctx context.Context, stream string) ([]blind.Row, error) {
	arguments, err := p.call("query_records", nil)
	if err != nil {
		return nil, err
	}
	rows, err := p.Rows(ctx, arguments, nil)
	return slices.DeleteFunc(rows, func(row blind.Row) bool { return !strings.Contains(row.ID, "/"+stream+":") }), err
}

// OnePerson answers the address that begins with a name, and when its last mail came.
func (p *Prompted) OnePerson(name string) Answer {
	return func(ctx context.Context, _ *Candidate) (string, error) {
		arguments, err := p.call("search", nil)
		if err != nil {
			return "", err
		}
		hits, err := p.SearchAll(ctx, arguments)
		if err != nil {
			return "", err
		}
		slices.SortStableFunc(hits, newestFirst)
		fetched := 0
		for _, hit := range hits {
			if !slices.Contains(mails, hit.Stream) {
				continue
			}
			if fetched++; fetched > 5 {
				break
			}
			if arguments, err = p.call("fetch", map[string]string{"ID": hit.ID}); err != nil {
				return "", err
			}
			mail, err := p.Fetch(ctx, arguments)
			if err != nil {
				return "", err
			}
			if from := mail.Value("from_email"); strings.HasPrefix(from, name) {
				return answer(from, mail.Value("received_at")), nil
			}
		}
		return "", ErrNoWay
	}
}

// Passage quotes what the newest hit says between two words.
func (p *Prompted) Passage(from, to string) Answer {
	return func(ctx context.Context, _ *Candidate) (string, error) {
		arguments, err := p.call("search", nil)
		if err != nil {
			return "", err
		}
		hits, err := p.SearchAll(ctx, arguments)
		if err != nil || len(hits) == 0 {
			return "", fmt.Errorf("%w: %d hits, %w", ErrNoWay, len(hits), err)
		}
		newest := slices.MaxFunc(hits, func(a, b blind.Hit) int { return a.Time.Compare(b.Time) })
		if arguments, err = p.call("fetch", map[string]string{"ID": newest.ID}); err != nil {
			return "", err
		}
		document, err := p.Fetch(ctx, arguments)
		if err != nil {
			return "", err
		}
		text := document.Text
		if strings.Contains(text, "characters shown]") {
			arguments, err = p.call("read_record_field", map[string]string{"ID": newest.ID, "FIELD": newest.Field, "WORD": from})
			if err != nil {
				return "", err
			}
			window, err := p.Candidate.Passage(ctx, arguments)
			if err != nil {
				return "", err
			}
			text = window.Text
		}
		_, rest, found := strings.Cut(text, from)
		passage, _, ended := strings.Cut(rest, to)
		if !found || !ended {
			return "", ErrNoWay
		}
		return from + strings.TrimSpace(passage), nil
	}
}
