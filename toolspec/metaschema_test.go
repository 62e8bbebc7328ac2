package toolspec_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/golden"
	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// The schemas in the repository match the types and the vocabulary.
func TestMetaSchemasAreCurrent(t *testing.T) {
	t.Chdir("..")
	schemas, err := toolspec.MetaSchemas()
	if err != nil {
		t.Fatal(err)
	}
	for file, schema := range schemas {
		golden.File(t, file, schema)
	}
}

// The first line of every YAML file names its schema by a relative path.
func TestSpecsNameTheirSchema(t *testing.T) {
	t.Chdir("..")
	schemas, err := toolspec.MetaSchemas()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("toolspec/tools/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	comment := regexp.MustCompile(`^# yaml-language-server: \$schema=(\S+)\n`)
	prompts, err := filepath.Glob("toolspec/prompts/*.yaml")
	if err != nil || len(prompts) == 0 {
		t.Fatalf("no prompts: %v", err)
	}
	for _, file := range append(slices.Concat(files, prompts), "toolspec/shared.yaml", "toolspec/surface.yaml",
		"toolspec/records.yaml", "toolspec/codes.yaml") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		match := comment.FindSubmatch(text)
		if match == nil {
			t.Errorf("%s does not begin with its schema", file)
			continue
		}
		if name := path.Join(path.Dir(file), string(match[1])); schemas[name] == nil {
			t.Errorf("%s names %s, which is not written", file, name)
		}
	}
}

// Editors complete every word, and show what it means.
func TestMetaSchemaListsWords(t *testing.T) {
	t.Chdir("..")
	schemas, err := toolspec.MetaSchemas()
	if err != nil {
		t.Fatal(err)
	}
	type choice struct {
		Const       string
		Description string
	}
	var schema struct {
		Definitions map[string]struct {
			Properties map[string]struct{ OneOf []choice }
		} `json:"$defs"`
	}
	if err := json.NewDecoder(bytes.NewReader(schemas["toolspec/tool.schema.json"])).Decode(&schema); err != nil {
		t.Fatal(err)
	}
	for _, table := range []struct {
		definition, key string
		words           toolspec.Words
	}{
		{"Argument", "check", toolspec.Checks},
		{"Argument", "send", toolspec.Sends},
		{"Argument", "complete", toolspec.Completions},
		{"Result", "table", toolspec.Tables},
		{"Precondition", "gate", toolspec.Gates},
		{"Result", "render", slices.Concat(toolspec.Renderers, toolspec.TerminalRenderers)},
		{"Operation", "run", toolspec.Operations},
	} {
		var want []choice
		for _, word := range table.words {
			want = append(want, choice{Const: word.Name, Description: word.Doc})
		}
		if diff := cmp.Diff(want, schema.Definitions[table.definition].Properties[table.key].OneOf); diff != "" {
			t.Errorf("%s.%s (-want +got):\n%s", table.definition, table.key, diff)
		}
	}
}
