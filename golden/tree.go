package golden

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// Tree returns the texts of all files below a folder, by their slash-separated paths from there.
func Tree(t testing.TB, folder string) map[string]string {
	t.Helper()
	files, below := map[string]string{}, os.DirFS(folder)
	err := fs.WalkDir(below, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(below, name)
		files[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Put writes a file below a folder, and makes the folders above it.
func Put(t testing.TB, folder, name, text string) {
	t.Helper()
	file := filepath.Join(folder, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
