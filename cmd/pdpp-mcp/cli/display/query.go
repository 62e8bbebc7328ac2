package display

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/itchyny/gojq"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
)

// query prints what a jq expression selects of a JSON value, each value on a line and strings without quotes. Numbers keep their
// digits. It reads no file, no variable and nothing else of the machine.
type query struct{ code *gojq.Code }

func newQuery(expression string) (*query, error) {
	parsed, err := gojq.Parse(expression)
	if wrong, ok := errors.AsType[*gojq.ParseError](err); ok {
		// Offset is the end of the wrong token, in bytes.
		valid := strings.TrimSuffix(expression[:min(wrong.Offset, len(expression))], wrong.Token)
		return nil, invocation.Usagef("--jq: %v after %q, at character %d", err, valid, utf8.RuneCountInString(valid)+1)
	}
	if err != nil {
		return nil, invocation.Usagef("--jq: %v", err)
	}
	code, err := gojq.Compile(parsed)
	if err != nil {
		return nil, invocation.Usagef("--jq: %v", err)
	}
	return &query{code}, nil
}

// run writes what is selected of a value. What was selected before a failure is written too.
func (q *query) run(ctx context.Context, out *bytes.Buffer, value any) error {
	results := q.code.RunWithContext(ctx, value)
	for each, more := results.Next(); more; each, more = results.Next() {
		if halted, ok := errors.AsType[*gojq.HaltError](asError(each)); ok && halted.Value() == nil {
			return nil
		}
		if err := asError(each); err != nil {
			return errors.Join(ctx.Err(), invocation.Failf("--jq: %v", err))
		}
		line, isText := each.(string)
		if !isText {
			written, err := gojq.Marshal(each)
			if err != nil {
				return invocation.Failf("--jq: %v", err)
			}
			line = string(written)
		}
		out.WriteString(line + "\n")
	}
	return nil
}

func asError(value any) error {
	err, _ := value.(error)
	return err
}

// selectFrom prints what --jq selects of one value.
func (f *Format) selectFrom(ctx context.Context, value json.RawMessage) error {
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.UseNumber()
	var decoded any
	if err := decoder.Decode(&decoded); err != nil {
		return fmt.Errorf("read structured output: %w", err)
	}
	var made bytes.Buffer
	failed := f.selection.run(ctx, &made, decoded)
	return errors.Join(f.write(made.Bytes()), failed)
}
