package finding_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// skillBytes bounds the skill, since a model pays for all of it.
const skillBytes = 5000

var (
	// skillCall is a call in the skill.
	skillCall = regexp.MustCompile("`([a-z_]+) (\\{.*?\\})`")
	// nothing is the structured output of a search without hits.
	nothing = regexp.MustCompile(`"(data|results|groups|connectors)":\[\]|"value":(0|null)[,}]|"text":""`)
)

// R-EVAL-5: the skill has at least twenty ways. Each of its calls answers something about the sample year, at every
// kind of provider.
func TestTheCallsOfTheSkill(t *testing.T) {
	text := gen.Surface().Skill.Text
	if len(text) > skillBytes {
		t.Errorf("the skill has %d bytes, more than %d", len(text), skillBytes)
	}
	_, ways, _ := strings.Cut(text, "## Shortest ways")
	ways, _, _ = strings.Cut(ways, "\n## ")
	if count := strings.Count(ways, "\n- "); count < 20 {
		t.Errorf("the skill has %d ways, want 20", count)
	}
	calls := skillCall.FindAllStringSubmatch(ways, -1)
	used := map[string]bool{}
	for _, reads := range resource.AllReads() {
		d := newDesk(t, reads)
		for _, call := range calls {
			used[call[1]] = true
			if _, structured, _ := d.call(t, call[1], json.RawMessage(call[2])); nothing.MatchString(structured) {
				t.Errorf("%s: %s finds nothing: %.400s", reads, call[0], structured)
			}
		}
	}
	for _, tool := range gen.Surface().Tools {
		if !used[tool.Name] || !strings.Contains(text, "\n- `"+tool.Name+"`: ") {
			t.Errorf("the skill does not say when to use %s, or how", tool.Name)
		}
	}
}
