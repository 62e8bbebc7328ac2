package golden_test

import (
	"cmp"
	"encoding/json"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// In go.mod exactly the modules that no file of the project imports are marked `// indirect`. The files of every
// platform and build tag count.
func TestIndirectMarks(t *testing.T) {
	var file struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	if err := json.Unmarshal([]byte(run(t, "go", "mod", "edit", "-json", "../go.mod")), &file); err != nil {
		t.Fatal(err)
	}
	var modules, marked, imported []string
	for _, required := range file.Require {
		modules = append(modules, required.Path)
		if !required.Indirect {
			marked = append(marked, required.Path)
		}
	}
	// a module may be a folder of another
	slices.SortFunc(modules, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for _, name := range strings.Split(run(t, "git", "-C", "..", "ls-files", "-co", "--exclude-standard", "*.go"), "\n") {
		if name == "" || strings.Contains(name, "testdata/") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), "../"+name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, each := range parsed.Imports {
			path, err := strconv.Unquote(each.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if at := slices.IndexFunc(modules,
				func(module string) bool { return strings.HasPrefix(path+"/", module+"/") }); at >= 0 {
				imported = append(imported, modules[at])
			}
		}
	}
	slices.Sort(imported)
	slices.Sort(marked)
	if diff := gocmp.Diff(slices.Compact(imported), marked); diff != "" {
		t.Errorf("modules that go.mod names as direct (-imported +marked):\n%s", diff)
	}
}
