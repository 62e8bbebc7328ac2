package syncing

import (
	"path"
	"strings"
	"testing"
)

// No name of a provider leads out of the directory, hides a file, or becomes the file of another name.
func TestNamesOfFiles(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{"messages", "..", ".", "../x", "a/b", "a%2Fb", "a b", ".hidden", "a:b", "a\\b", "ü", "a\x00b", "messages.jsonl"} {
		file := (&streamCopy{Connection: name, Stream: name}).file()
		if path.Clean(file) != file || strings.Count(file, "/") != 1 || strings.HasPrefix(file, ".") || strings.Contains(file, "/.") || strings.ContainsAny(file, "\x00:\\") {
			t.Errorf("%q becomes %q", name, file)
		}
		if other, there := seen[file]; there {
			t.Errorf("%q and %q become %q", name, other, file)
		}
		seen[file] = name
	}
}
