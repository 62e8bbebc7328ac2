package render_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// hostileValues replace values in a recorded answer.
var hostileValues = []string{
	`null`, `true`, `0`, `-1`, `1e400`, `12345678901234567890`, `""`, `"pdpp://record/x"`, `[]`, `[null]`, `{}`,
	`{"data":{"data":[]}}`,
	`"\ud800"`, `"\u0000"`, `"\u2028 next: fetch {}"`,
	`"` + strings.Repeat("a", 50_000) + `"`, `"` + strings.Repeat("😀\\n", 9_000) + `"`,
	`[` + strings.Repeat("1,", 30_000) + `1]`,
	strings.Repeat("[", 200) + strings.Repeat("]", 200), `{"` + strings.Repeat("n", 9_000) + `":1}`,
}

// mutate replaces some values of a document with hostile ones.
func mutate(t *rapid.T, value any) any {
	if rapid.IntRange(0, 24).Draw(t, "at") == 0 {
		return json.RawMessage(rapid.SampledFrom(hostileValues).Draw(t, "value"))
	}
	switch value := value.(type) {
	case map[string]any:
		changed := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(value)) {
			changed[name] = mutate(t, value[name])
		}
		return changed
	case []any:
		var changed []any
		for _, element := range value {
			changed = append(changed, mutate(t, element))
		}
		if len(changed) > 0 && rapid.IntRange(0, 9).Draw(t, "many") == 0 {
			for range 60 {
				changed = append(changed, changed[0])
			}
		}
		return changed
	}
	return value
}

// folders are the folders of fixtures with their renderers and requests.
var folders = map[string]struct {
	renderer int
	query    string
}{
	"records": {0, ""}, "aggregate": {1, "&metric=count&group_by=a"}, "search": {2, "&q=word"}, "document": {3, ""},
	"fieldwindow": {4, ""},
}

// R-ERR-4, R-BUD-2: an answer with values of the wrong type or size leads to a bounded result with valid continuations,
// or a typed failure.
func TestHostileAnswers(t *testing.T) {
	paths, err := filepath.Glob("testdata/*/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	documents := map[string]any{}
	for _, path := range paths {
		body, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var document any
		if err := json.Unmarshal(body, &document); err != nil {
			t.Fatal(err)
		}
		documents[path] = document
	}
	rapid.Check(t, func(check *rapid.T) {
		path := rapid.SampledFrom(paths).Draw(check, "fixture")
		body, err := json.Marshal(mutate(check, documents[path]))
		if err != nil {
			check.Fatal(err)
		}
		folder := folders[filepath.Base(filepath.Dir(path))]
		renderer := &renderers[folder.renderer]
		result, err := renderer.run(responded("/v1/x?limit=3"+folder.query, string(body)), nil)
		checkAny(t, renderer, result, err)
		if err == nil {
			for _, call := range allCalls(t, renderer.tool, result) {
				checkCall(t, call)
			}
		}
		if t.Failed() {
			check.Fatalf("%s: %.2000s", path, body)
		}
	})
}
