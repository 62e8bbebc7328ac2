package render_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// allCalls returns all continuations of both channels.
func allCalls(t *testing.T, from string, result *tool.Result) []call {
	t.Helper()
	var found []call
	if from != "fetch" { // its text is JSON
		head, _, _ := strings.Cut(result.Text, "\n\n") // a window's own text follows an empty line
		found = append(textCalls(t, head, "next"), textCalls(t, head, "previous")...)
	}
	var walk func(value any)
	walk = func(value any) {
		switch value := value.(type) {
		case map[string]any:
			name, isName := value["tool"].(string)
			arguments, isObject := value["arguments"].(map[string]any)
			if isName && isObject && len(value) == 2 {
				encoded, _ := json.Marshal(arguments)
				found = append(found, call{name, encoded})
			}
			for _, inner := range value {
				walk(inner)
			}
		case []any:
			for _, inner := range value {
				walk(inner)
			}
		}
	}
	var structured map[string]any
	decoder := json.NewDecoder(bytes.NewReader(result.Structured))
	decoder.UseNumber() // as they are spelled
	if err := decoder.Decode(&structured); err != nil {
		t.Fatal(err)
	}
	delete(structured, "data") // the server's own
	walk(structured)
	return found
}

// checkCall makes the call and checks that the tool accepts it (R-HAND-7).
func checkCall(t *testing.T, continuation call) {
	t.Helper()
	for _, definition := range gen.Surface().Tools {
		if definition.Name != continuation.Tool {
			continue
		}
		reader := &silent{}
		_, err := definition.Run(t.Context(), tool.Env{RS: reader}, continuation.Arguments)
		var refused *tool.Error
		if errors.As(err, &refused) || len(reader.asked) == 0 {
			t.Errorf("%s refuses %s: %v", continuation.Tool, continuation.Arguments, err)
		}
		return
	}
	t.Errorf("no tool %q", continuation.Tool)
}

// checkOutputSchema checks structured output of an answer that a real provider gives against the schemas of its tool:
// the one that clients validate against, and the one for programs (R-AGG-3, R-EVAL-4).
func checkOutputSchema(t *testing.T, tool string, structured json.RawMessage) {
	t.Helper()
	program, err := os.ReadFile("../../docs/tools/output/" + tool + ".json")
	if err != nil {
		t.Fatal(err)
	}
	validate(t, tool, resolved(t, program), structured)
	validate(t, tool, resolved(t, servedSchema(t, tool)), structured)
}

// checkServedSchema checks structured output of any answer, except the values of an aggregate, which no renderer
// checks.
func checkServedSchema(t *testing.T, tool string, structured json.RawMessage) {
	t.Helper()
	text := servedSchema(t, tool)
	if tool == "aggregate" {
		text = json.RawMessage(`{"properties":{"data":{"type":"object"}}}`)
	}
	validate(t, tool, resolved(t, text), structured)
}

// servedSchema returns the schema that clients get. read_record_field has none (R-BLOB-3).
func servedSchema(t *testing.T, tool string) json.RawMessage {
	t.Helper()
	for _, definition := range gen.Surface().Tools {
		if definition.Name == tool {
			return json.RawMessage(cmp.Or(string(definition.OutputSchema), "{}"))
		}
	}
	t.Fatalf("no tool %q", tool)
	return nil
}

// resolvedSchemas are cached, since fuzzing validates very often.
var resolvedSchemas sync.Map

func resolved(t *testing.T, text []byte) *jsonschema.Resolved {
	t.Helper()
	if known, ok := resolvedSchemas.Load(string(text)); ok {
		return known.(*jsonschema.Resolved)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	resolvedSchemas.Store(string(text), resolved)
	return resolved
}

// hugeNumber is a number that Go cannot read, and other clients can.
var hugeNumber = regexp.MustCompile(`([0-9])[eE]\+?[0-9]{3,}`)

func validate(t *testing.T, tool string, schema *jsonschema.Resolved, structured json.RawMessage) {
	t.Helper()
	var content any
	if err := json.Unmarshal(hugeNumber.ReplaceAll(structured, []byte("$1")), &content); err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(content); err != nil {
		t.Errorf("structured output of %s: %v: %.300s", tool, err, structured)
	}
}
