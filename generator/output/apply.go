package output

import (
	"fmt"
	"os"
	"path/filepath"
)

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
