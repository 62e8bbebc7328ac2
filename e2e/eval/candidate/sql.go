package candidate

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/e2e/eval/question"
)

// SQL is the scripted candidate for servers that read the sandbox's database with SQL. Its one call is the SQL of the
// truth, so it measures the server's results and not a way to the answer.
type SQL struct {
	Tool     string // that takes a statement
	Argument string // that has the statement
}

// Name returns "sql".
func (SQL) Name() string { return "sql" }

// Answer calls the tool with the question's SQL, and answers with the first column of its rows.
func (s SQL) Answer(ctx context.Context, task Task) (Outcome, error) {
	return answerWith(ctx, task, func(call caller) (string, error) {
		result, err := call(ctx, s.Tool, map[string]string{s.Argument: task.Asked.Statement()})
		if err != nil {
			return "", err
		}
		values, found := firstColumn([]byte(result))
		if !found {
			return result, nil
		}
		if len(values) == 0 {
			return string(question.None), nil
		}
		return strings.Join(values, "\n"), nil
	})
}

// firstColumn returns the first member of each row in a JSON text. The rows are the innermost array of objects.
func firstColumn(text []byte) (values []string, found bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) == nil {
		for _, member := range members {
			if values, found := firstColumn(member); found {
				return values, true
			}
		}
		return nil, false
	}
	var rows []json.RawMessage
	if json.Unmarshal(text, &rows) != nil {
		return nil, false
	}
	for _, row := range rows {
		if values, found := firstColumn(row); found {
			return values, true
		}
		value, isObject := firstMember(row)
		if !isObject {
			return nil, false
		}
		values = append(values, value)
	}
	return values, true
}

// firstMember returns the value of an object's first member as text.
func firstMember(object []byte) (value string, isObject bool) {
	decoder := json.NewDecoder(bytes.NewReader(object))
	decoder.UseNumber()
	var tokens []any
	for range 3 { // the brace, the name and the value
		token, err := decoder.Token()
		if err != nil {
			return "", false
		}
		tokens = append(tokens, token)
	}
	return plain(tokens[2]), tokens[0] == json.Delim('{')
}

// plain returns a value of a row as text.
func plain(value any) string {
	switch value := value.(type) {
	case string:
		return value
	case json.Number:
		return value.String()
	}
	encoded, _ := json.Marshal(value) // a token always encodes
	return string(encoded)
}
