package render

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var codeWord = regexp.MustCompile("`([^`]+)`")

// R-QRY-1: the tool reference lists the members that a projected record keeps.
func TestReferenceListsKeptMembers(t *testing.T) {
	line := referenceLine(t, "query_records", "- With `fields`, a record holds")
	var listed []string
	for _, match := range codeWord.FindAllStringSubmatch(line, -1) {
		if match[1] != "fields" && match[1] != "expand" {
			listed = append(listed, match[1])
		}
	}
	if !slices.Equal(listed, append(slices.Clone(keptNames), expandedName)) {
		t.Errorf("the reference lists %q, the renderer keeps %q", listed, keptNames)
	}
}

// R-FETCH-4, R-BUD-2: the bounds in the reference are those of the renderers.
func TestReferenceHasTheBounds(t *testing.T) {
	thousands := func(number int) string { return fmt.Sprintf("%d,%03d", number/1000, number%1000) }
	for _, test := range []struct {
		tool, begins string
		bounds       []int
	}{
		{"query_records", "- Text has at most", []int{TextCharacters, ChannelCharacters}},
		{"fetch", "- A document of up to", []int{ChannelCharacters}},
	} {
		line := referenceLine(t, test.tool, test.begins)
		for _, bound := range test.bounds {
			if !strings.Contains(line, thousands(bound)) {
				t.Errorf("%s does not have %s: %s", test.tool, thousands(bound), line)
			}
		}
	}
}

func referenceLine(t *testing.T, tool, begins string) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/tools/" + tool + ".md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(page)) {
		if strings.HasPrefix(line, begins) {
			return line
		}
	}
	t.Fatalf("the reference of %s has no line that begins %q", tool, begins)
	return ""
}
