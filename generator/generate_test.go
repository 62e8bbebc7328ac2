package generator_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/generator"
	"github.com/pdppmcp/pdpp-mcp/golden"
)

const (
	wantFolder = "want/"
	wantError  = "want/error.txt"
)

// TestFiles generates the small surfaces of testdata and compares the files that each case names under want/.
func TestFiles(t *testing.T) {
	cases, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range cases {
		if filepath.Base(name) == "base.txtar" {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) { runCase(t, name) })
	}
}

func runCase(t *testing.T, name string) {
	archive := parse(t, name)
	sources := parse(t, "testdata/base.txtar").Files
	got := generated(append(sources, archive.Files...))
	compared := 0
	for i, file := range archive.Files {
		want, isWant := strings.CutPrefix(file.Name, wantFolder)
		if !isWant {
			continue
		}
		compared++
		text, ok := got[want]
		if !ok {
			t.Fatalf("%s was not generated; the files are %v\n%s", want, slices.Sorted(maps.Keys(got)), got["error.txt"])
		}
		if golden.Updates() {
			archive.Files[i].Data = []byte(text)
			continue
		}
		if diff := cmp.Diff(string(file.Data), text); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want, diff)
		}
	}
	if compared == 0 {
		t.Fatal("the case names no file under want/")
	}
	if golden.Updates() {
		if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// generated returns every generated file by its path, or only error.txt.
func generated(sources []txtar.File) map[string]string {
	root := fstest.MapFS{}
	for _, file := range sources {
		if !strings.HasPrefix(file.Name, wantFolder) {
			root[file.Name] = &fstest.MapFile{Data: file.Data}
		}
	}
	files, err := generator.Files(root)
	if err != nil {
		return map[string]string{strings.TrimPrefix(wantError, wantFolder): err.Error() + "\n"}
	}
	got := map[string]string{}
	for name, data := range files {
		got[name] = string(data)
	}
	return got
}

func parse(t *testing.T, name string) *txtar.Archive {
	t.Helper()
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return archive
}

// The same specs produce the same bytes: a diff of generated files is a diff of the specs.
func TestSameSpecsGiveSameBytes(t *testing.T) {
	timetest.WithoutRace(t)
	first, err := generator.Files(os.DirFS(".."))
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		again, err := generator.Files(os.DirFS(".."))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(first, again); diff != "" {
			t.Fatalf("two runs differ:\n%s", diff)
		}
	}
}
