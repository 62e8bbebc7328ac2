package output

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Change is one file that differs from the generated one.
type Change struct {
	Path string
	Have []byte // nil if it is missing
	Want []byte // nil if it is stale: no longer generated
}

// Diff describes the change: the path, what is wrong, and the first line that differs.
func (c Change) Diff() string {
	switch {
	case c.Have == nil:
		return c.Path + ": missing\n"
	case c.Want == nil:
		return c.Path + ": stale\n"
	}
	have, want := strings.Split(string(c.Have), "\n"), strings.Split(string(c.Want), "\n")
	line := 0
	for line < len(have) && line < len(want) && have[line] == want[line] {
		line++
	}
	return fmt.Sprintf("%s:%d: differs\n  have: %s\n  want: %s\n", c.Path, line+1, at(have, line), at(want, line))
}

// Done describes the change after it was made.
func (c Change) Done() string {
	if c.Want == nil {
		return "removed " + c.Path + "\n"
	}
	return "wrote " + c.Path + "\n"
}

// at returns a line, or a note for the end of the file.
func at(lines []string, index int) string {
	if index >= len(lines) {
		return "(end of file)"
	}
	return lines[index]
}

// Apply writes and removes the changed files below root. It stops at the first error.
func Apply(root string, changes []Change) error {
	for _, change := range changes {
		if err := change.apply(filepath.Join(root, filepath.FromSlash(change.Path))); err != nil {
			return fmt.Errorf("write generated files: %w", err)
		}
	}
	return nil
}

func (c Change) apply(name string) error {
	if c.Want == nil {
		return os.Remove(name)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, c.Want, 0o644)
}
