package golden_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// advertised is one entry of the golden payload.
type advertised struct {
	Name        string
	Title       string
	Description string
	Annotations json.RawMessage
	InputSchema struct {
		Properties           map[string]property
		Required             []string
		AdditionalProperties json.RawMessage
	}
	OutputSchema struct{ Properties map[string]property }
}

type property struct {
	Type        string
	Description string
}

func advertisedTools(t *testing.T) []advertised {
	t.Helper()
	var result struct{ Tools []advertised }
	decode(t, readFile(t, "tools_list.json"), &result)
	return result.Tools
}

// specified returns the surface of the specs.
func specified(t *testing.T) *toolspec.Surface {
	t.Helper()
	surface, err := toolspec.Load(os.DirFS("../toolspec"))
	if err != nil {
		t.Fatal(err)
	}
	return surface
}

// R-SURF-1, R-FOOT-2, R-ARG-6: exactly the tools and arguments of the specs, sorted.
func TestMembership(t *testing.T) {
	want, got := map[string][]string{}, map[string][]string{}
	for _, tool := range specified(t).Tools {
		for _, argument := range tool.Arguments {
			want[tool.Name] = append(want[tool.Name], argument.Name)
		}
		slices.Sort(want[tool.Name])
	}
	for _, tool := range advertisedTools(t) {
		got[tool.Name] = slices.Sorted(maps.Keys(tool.InputSchema.Properties))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tools and arguments (-want +got):\n%s", diff)
	}
}

// R-SURF-2: there is only one surface, and no text names another.
func TestNoOtherSurfaceIsNamed(t *testing.T) {
	text := strings.ToLower(string(readFile(t, "tools_list.json")) + string(readFile(t, "instructions.txt")))
	for _, template := range gen.Surface().Templates {
		text += strings.ToLower(template.Title + template.Description)
	}
	for _, word := range []string{"profile", "toolset", "mode of surface", "list_streams", "fetch_blob"} {
		if strings.Contains(text, word) {
			t.Errorf("the surface says %q", word)
		}
	}
}

// R-SURF-3: every tool is marked as read-only and has a title.
func TestAnnotations(t *testing.T) {
	for _, tool := range advertisedTools(t) {
		want := `{"destructiveHint":false,"idempotentHint":true,"openWorldHint":false,"readOnlyHint":true,"title":"` +
			tool.Title + `"}`
		if got := string(compact(t, tool.Annotations)); got != want || tool.Title == "" {
			t.Errorf("%s: annotations %s, want %s and a title", tool.Name, got, want)
		}
	}
}

// R-SURF-4: every description states that the tool only reads, and from which endpoint.
func TestDescriptionsNameTheEndpoint(t *testing.T) {
	for _, tool := range specified(t).Tools {
		endpoint := strings.ReplaceAll(tool.Endpoint, "{record_id}", "{id}")
		for _, want := range []string{"Read-only.", "`" + endpoint + "`"} {
			if !strings.Contains(tool.Description, want) {
				t.Errorf("%s: the description does not say %q", tool.Name, want)
			}
		}
	}
}

// longestShared bounds how many consecutive words two tools may share (R-SURF-5).
const longestShared = 19

// R-SURF-5, R-FOOT-2: no guidance is repeated in two tools, checked over the payload itself.
func TestNoGuidanceTwice(t *testing.T) {
	owners := map[string]string{}
	for _, tool := range advertisedTools(t) {
		texts := []string{tool.Description}
		for _, properties := range []map[string]property{tool.InputSchema.Properties, tool.OutputSchema.Properties} {
			for _, property := range properties {
				texts = append(texts, property.Description)
			}
		}
		for _, text := range texts {
			words := strings.Fields(text)
			for start := 0; start+longestShared < len(words); start++ {
				run := strings.Join(words[start:start+longestShared+1], " ")
				if owner, said := owners[run]; said && owner != tool.Name {
					t.Errorf("%s and %s both say %q", owner, tool.Name, run)
				}
				owners[run] = tool.Name
			}
			for _, word := range []string{"subscription", "signature", "webhook"} {
				if strings.Contains(strings.ToLower(text), word) {
					t.Errorf("%s speaks of %s", tool.Name, word)
				}
			}
		}
	}
}

// R-SURF-6: every tool takes a connection_id to select the source, under no other name.
func TestEveryToolTakesAConnection(t *testing.T) {
	for _, tool := range advertisedTools(t) {
		argument, ok := tool.InputSchema.Properties["connection_id"]
		if !ok || argument.Type != "string" || !strings.Contains(argument.Description, "Source") {
			t.Errorf("%s: connection_id is %+v, want a string that names the source", tool.Name, argument)
		}
		if slices.Contains(tool.InputSchema.Required, "connection_id") {
			t.Errorf("%s: connection_id is required", tool.Name)
		}
	}
	for _, word := range []string{"connector_instance_id", "http://", "https://"} {
		if strings.Contains(string(readFile(t, "tools_list.json")), word) {
			t.Errorf("the payload holds %q", word)
		}
	}
}

// R-SURF-7: the texts call structured output by that name, and tell a model to read less.
func TestDescriptionsTellToReadLess(t *testing.T) {
	text := strings.ToLower(string(readFile(t, "tools_list.json")))
	for _, word := range []string{"hidden", "structuredcontent", "structured content"} {
		if strings.Contains(text, word) {
			t.Errorf("the payload says %q", word)
		}
	}
	for name, words := range map[string][]string{
		"query_records": {"structured output", "Page with cursor", "narrow fields", "aggregate or search"},
		"fetch":         {"structured output", "Narrow with fields"},
		"search":        {"structured output", "page by cursor"},
	} {
		for _, word := range words {
			if !strings.Contains(find(t, name).Description, word) {
				t.Errorf("%s: the description does not say %q", name, word)
			}
		}
	}
}

// R-SURF-8: the description tells a model how it learns that groups are missing.
func TestAggregateNamesOtherCount(t *testing.T) {
	if description := find(t, "aggregate").Description; !strings.Contains(description,
		"other_count: a positive value means top-N truncation") {
		t.Errorf("the description is %q", description)
	}
}

// R-SURF-9: input schemas allow no other arguments.
func TestInputsAreClosed(t *testing.T) {
	for _, tool := range advertisedTools(t) {
		if string(tool.InputSchema.AdditionalProperties) != "false" {
			t.Errorf("%s: additionalProperties is %s, want false", tool.Name, tool.InputSchema.AdditionalProperties)
		}
	}
}

func find(t *testing.T, name string) advertised {
	t.Helper()
	for _, tool := range advertisedTools(t) {
		if tool.Name == name {
			return tool
		}
	}
	t.Fatalf("no tool %s", name)
	return advertised{}
}
