package syncing

import (
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/golden"
)

// No name of a provider leads out of the directory, hides a file, or becomes the file of another name.
func TestNamesOfFiles(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{
		"messages", "..", ".", "../x", "a/b", "a%2Fb", "a b", ".hidden", "a:b", "a\\b", "ü",
		"a\x00b", "messages.jsonl",
	} {
		file := source{connection: name, stream: name}.file()
		if path.Clean(file) != file || strings.Count(file, "/") != 1 || strings.HasPrefix(file, ".") ||
			strings.Contains(file, "/.") || strings.ContainsAny(file, "\x00:\\") {
			t.Errorf("%q becomes %q", name, file)
		}
		if other, there := seen[file]; there {
			t.Errorf("%q and %q become %q", name, other, file)
		}
		seen[file] = name
	}
}

// Other files in the directory stay: only partial files of a sync are removed, and only its state files count as
// copies.
func TestOtherFilesAreLeftAlone(t *testing.T) {
	directory := t.TempDir()
	others := []string{
		"film.mkv.part", "cin_1/film.mkv.part",
		"cin_1/deeper/messages.jsonl.ABCDEFGHIJKLMNOPQRSTUVWXYZ.part", ".eslintrc.json", "cin_1/.eslintrc.json",
		"cin_1/deeper/.messages.json",
	}
	own := []string{
		"cin_1/messages.jsonl.ABCDEFGHIJKLMNOPQRSTUVWXYZ.part",
		"cin_1/.messages.json.ABCDEFGHIJKLMNOPQRSTUVWXYZ.part",
	}
	for _, name := range append(others, own...) {
		golden.Put(t, directory, name, `{"root":true}`)
	}
	golden.Put(t, directory, "cin_1/.labels.json", `{"bookmark":"b1","records":2}`)
	var said strings.Builder
	run := &sync{terminal: invocation.Terminal{Err: &said}, directory: directory}
	if err := run.open(); err != nil {
		t.Fatal(err)
	}
	defer run.root.Close()
	files := golden.Tree(t, directory)
	for _, name := range others {
		if files[name] == "" {
			t.Errorf("%s was removed", name)
		}
	}
	for _, name := range own {
		if files[name] != "" {
			t.Errorf("%s is left", name)
		}
	}
	run.reportUngranted(nil, &invocation.Sources{})
	if want := "no longer granted, and kept: " + filepath.Join(directory, "cin_1", "labels.jsonl") +
		" (2 records)\n"; said.String() != want {
		t.Errorf("said %q, want %q", said.String(), want)
	}
}
