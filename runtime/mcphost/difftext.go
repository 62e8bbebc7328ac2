package mcphost

import (
	"strings"
	"unicode"

	"github.com/rogpeppe/go-internal/diff"
)

// changedLines returns the removed and the added lines, each after a minus or a plus. It leaves out lines that only get a comma.
func changedLines(before, after []byte) string {
	var body []string
	marks := map[string]string{} // of each line without its white space and commas
	for i, line := range strings.SplitAfter(string(diff.Diff("before", before, "after", after)), "\n") {
		if i >= 3 && (strings.HasPrefix(line, "-") || strings.HasPrefix(line, "+")) { // the first lines name the files
			body = append(body, line)
			marks[bare(line)] += line[:1]
		}
	}
	var shown strings.Builder
	for _, line := range body {
		if mark := marks[bare(line)]; !strings.Contains(mark, "-") || !strings.Contains(mark, "+") {
			shown.WriteString(line)
		}
	}
	return shown.String()
}

// bare returns a line of a diff without its mark, commas and white space.
func bare(line string) string {
	return strings.Join(strings.FieldsFunc(line[1:], func(r rune) bool { return r == ',' || unicode.IsSpace(r) }), "")
}
