package render_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

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

// outputTypes are the types of each tool's structured members, as golden/tools_list.json advertises them.
var outputTypes = func() map[string]map[string]string {
	payload, err := os.ReadFile("../../golden/tools_list.json")
	if err != nil {
		panic(err)
	}
	var list struct {
		Tools []struct {
			Name         string
			OutputSchema struct {
				Properties map[string]struct{ Type string }
			}
		}
	}
	if err := json.Unmarshal(payload, &list); err != nil {
		panic(err)
	}
	types := map[string]map[string]string{}
	for _, advertised := range list.Tools {
		types[advertised.Name] = map[string]string{}
		for name, property := range advertised.OutputSchema.Properties {
			types[advertised.Name][name] = property.Type
		}
	}
	return types
}()

// checkOutputSchema checks structured output against the advertised schema (R-AGG-3), which is one level deep.
func checkOutputSchema(t *testing.T, tool string, structured json.RawMessage) {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal(structured, &members); err != nil {
		t.Fatal(err)
	}
	if len(outputTypes[tool]) == 0 && tool != "read_record_field" { // which has none (R-BLOB-3)
		t.Fatalf("no output schema of %s", tool)
	}
	first := map[string]byte{"object": '{', "array": '[', "string": '"'}
	for name, want := range outputTypes[tool] {
		if value, ok := members[name]; ok && value[0] != first[want] {
			t.Errorf("%s of %s is no %s: %.80s", name, tool, want, value)
		}
	}
}
