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

// query is a jq expression. It reads no files and no variables. Numbers keep their digits.
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

// run writes each selected value on a line, strings without quotes. After a failure the values before it have been written.
func (q *query) run(ctx context.Context, out *bytes.Buffer, value any) error {
	results := q.code.RunWithContext(ctx, value)
	for result, more := results.Next(); more; result, more = results.Next() {
		err, _ := result.(error)
		if halted, ok := errors.AsType[*gojq.HaltError](err); ok && halted.Value() == nil {
			return nil
		}
		if err != nil {
			return errors.Join(ctx.Err(), invocation.Failf("--jq: %v", err))
		}
		line, isText := result.(string)
		if !isText {
			written, err := gojq.Marshal(result)
			if err != nil {
				return invocation.Failf("--jq: %v", err)
			}
			line = string(written)
		}
		out.WriteString(line + "\n")
	}
	return nil
}

func (f *Format) selectFrom(ctx context.Context, value json.RawMessage) error {
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.UseNumber()
	var decoded any
	if err := decoder.Decode(&decoded); err != nil {
		return fmt.Errorf("read structured output: %w", err)
	}
	var selected bytes.Buffer
	err := f.selection.run(ctx, &selected, decoded)
	return errors.Join(f.write(selected.Bytes()), err)
}
