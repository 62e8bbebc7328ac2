package output

import (
	"fmt"
	"strings"
)

// Diff describes the change: the path, the kind, and the first line that differs.
func (c Change) Diff() string {
	if c.Kind != Differs {
		return fmt.Sprintf("%s: %s\n", c.Path, c.Kind)
	}
	have, want := strings.Split(string(c.Have), "\n"), strings.Split(string(c.Want), "\n")
	line := 0
	for line < len(have) && line < len(want) && have[line] == want[line] {
		line++
	}
	return fmt.Sprintf("%s:%d: %s\n  have: %s\n  want: %s\n", c.Path, line+1, c.Kind, at(have, line), at(want, line))
}

// at returns a line, or a note for the end of the file.
func at(lines []string, index int) string {
	if index >= len(lines) {
		return "(end of file)"
	}
	return lines[index]
}
