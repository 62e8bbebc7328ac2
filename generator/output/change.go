package output

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Kind is the kind of difference from the generated file.
type Kind string

// The kinds of changes.
const (
	Missing Kind = "missing" // to be written
	Differs Kind = "differs" // to be replaced
	Stale   Kind = "stale"   // to be removed: no longer generated
)

// Change is one file that differs from the generated one.
type Change struct {
	Path string
	Kind Kind
	Have []byte // nil when missing
	Want []byte // nil when stale
}

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

// Done describes the change after it was made.
func (c Change) Done() string {
	if c.Kind == Stale {
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
	if c.Kind == Stale {
		return os.Remove(name)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, c.Want, 0o644)
}
