package question

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/e2e/journey/blind"
)

// Step is a call of the scripted candidate, or an answer made of earlier results.
type Step struct {
	// Call is the tool. search and query_records read every page, and schema reads the index.
	Call string `yaml:"call,omitempty"`
	// With is the arguments. Texts in it are templates of the question's values and of the names of earlier steps.
	With map[string]any `yaml:"with,omitempty"`
	// Take names the values that the step takes from the result: stream or connection of the index; value, keys, counts or
	// groups (key: count) of an aggregate; count or id of rows and hits; the title of hits; or the name of a field of rows
	// and of a document. The default is the text.
	Take string `yaml:"take,omitempty"`
	// Match keeps, of the values, the groups of each match of a regular expression, or the matches if it has no groups.
	// Equal ones are kept once, unless Every is true.
	Match string `yaml:"match,omitempty"`
	Every bool   `yaml:"every,omitempty"`
	// As names the values for later steps.
	As string `yaml:"as,omitempty"`
	// Answer is a template in place of a call.
	Answer string `yaml:"answer,omitempty"`
}

// ErrNothing reports that a step found no value.
var ErrNothing = errors.New("nothing found")

// Answer follows the script with what a reader sees of one channel. A candidate that finds nothing answers "none".
func (a Asked) Answer(ctx context.Context, reader *blind.Reader) (string, error) {
	known := map[string]string{}
	for name, value := range a.values {
		known[name] = value
	}
	var values []string
	for i, step := range a.Script {
		var err error
		if values, err = step.run(ctx, reader, known); errors.Is(err, ErrNothing) {
			return string(None), nil
		} else if err != nil {
			return "", fmt.Errorf("question %s: step %d: %w", a.ID, i+1, err)
		}
		if step.As != "" {
			known[step.As] = strings.Join(values, "\n")
		}
	}
	return strings.Join(values, "\n"), nil
}

func (s Step) run(ctx context.Context, reader *blind.Reader, known map[string]string) ([]string, error) {
	var values []string
	var err error
	if s.Answer != "" {
		text, fillErr := fill(s.Answer, known)
		values, err = []string{text}, fillErr
	} else {
		values, err = s.call(ctx, reader, known)
	}
	if err == nil && s.Match != "" {
		values, err = s.matches(values, known)
	}
	if err == nil && len(values) == 0 {
		err = ErrNothing
	}
	return values, err
}

// call makes the call and takes values of its result.
func (s Step) call(ctx context.Context, reader *blind.Reader, known map[string]string) ([]string, error) {
	filled, err := fillAll(s.With, known)
	if err != nil {
		return nil, err
	}
	arguments := blind.Arguments(filled.(map[string]any))
	switch s.Call {
	case "aggregate":
		found, err := reader.Aggregate(ctx, arguments)
		return ofAggregate(found, s.Take), err
	case "search":
		found, err := reader.SearchAll(ctx, arguments)
		return ofHits(found, s.Take), err
	case "query_records":
		found, err := reader.Rows(ctx, arguments, nil)
		return ofRows(found, s.Take), err
	case "schema":
		found, err := reader.Index(ctx)
		return ofIndex(found, s.Take), err
	case "fetch":
		found, err := reader.Fetch(ctx, arguments)
		if s.Take != "" {
			return present(found.Value(s.Take)), err
		}
		return present(found.Text), err
	case "read_record_field":
		found, err := reader.Passage(ctx, arguments)
		return present(found.Text), err
	}
	return nil, fmt.Errorf("no reader of a result of %q", s.Call) //nolint:err113 // a mistake in a question's file
}

// matches returns the groups of each match in the values.
func (s Step) matches(values []string, known map[string]string) ([]string, error) {
	pattern, err := fill(s.Match, known)
	if err != nil {
		return nil, err
	}
	wanted, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("match: %w", err)
	}
	var found []string
	for _, value := range values {
		for _, match := range wanted.FindAllStringSubmatch(value, -1) {
			for _, group := range match[min(1, len(match)-1):] {
				if s.Every || !slices.Contains(found, group) {
					found = append(found, group)
				}
			}
		}
	}
	return found, nil
}

// fillAll fills the texts in a value of a call's arguments.
func fillAll(value any, known map[string]string) (any, error) {
	var err error
	switch value := value.(type) {
	case string:
		return fill(value, known)
	case map[string]any:
		filled := map[string]any{}
		for name, each := range value {
			if filled[name], err = fillAll(each, known); err != nil {
				return nil, err
			}
		}
		return filled, nil
	case []any:
		filled := make([]any, len(value))
		for i, each := range value {
			if filled[i], err = fillAll(each, known); err != nil {
				return nil, err
			}
		}
		return filled, nil
	}
	return value, nil
}
