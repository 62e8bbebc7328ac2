package generator_test

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pdppmcp/pdpp-mcp/generator"
)

// addedArgument is the line that adds an argument.
const addedArgument = `  - {name: locale, type: string, enum: [de-CH, en-GB], send: query, as: lang, description: Language of names.}
`

// A line of YAML is all that adds an argument: its struct field, check, request, schema, golden listing, budget and
// reference page are generated, and the result compiles and works.
func TestAnArgumentIsAddedInYAMLAlone(t *testing.T) {
	before, err := generator.Files(os.DirFS(".."))
	if err != nil {
		t.Fatal(err)
	}
	specs := specsWith(t, "toolspec/tools/query_records.yaml", func(text string) string {
		text = strings.Replace(text, "  - use: filter\n", addedArgument+"  - use: filter\n", 1)
		return strings.Replace(text, "budget: {bytes: ", "budget: {bytes: 1", 1)
	})
	after, err := generator.Files(specs)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"gen/query_records_gen.go":            "\tLocale *string\n",
		"gen/schema/query_records.input.json": `"locale": {`,
		"golden/tools_list.json":              `"description": "Language of names."`,
		"docs/tools/query_records.md": "| `locale` | string |  | Language of names. One of de-CH, en-GB. | As " +
			"lang=value. |",
	} {
		if strings.Contains(string(before[name]), want) || !strings.Contains(string(after[name]), want) {
			t.Errorf("%s: want %q after the change and not before it; after:\n%s", name, want, after[name])
		}
	}
	for _, name := range []string{"golden/budget.txt", "gen/footprint_gen.go"} {
		if string(before[name]) == string(after[name]) {
			t.Errorf("%s did not change", name)
		}
	}
	if string(before["gen/search_gen.go"]) != string(after["gen/search_gen.go"]) {
		t.Error("another tool changed")
	}
	files := map[string]string{"gen/added_test.go": readFile(t, "testdata/added/added_test.go.txt")}
	for name, text := range after {
		files[name] = string(text)
	}
	goCommand(t, overlay(t, files), "./gen", "test")
}

// specsWith returns the specs and the README of the project, with one file changed.
func specsWith(t *testing.T, name string, change func(string) string) fstest.MapFS {
	t.Helper()
	root := specsOfProject(t)
	changed := change(string(root[name].Data))
	if changed == string(root[name].Data) {
		t.Fatalf("%s did not change", name)
	}
	root[name].Data = []byte(changed)
	return root
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
