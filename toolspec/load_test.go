package toolspec_test

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/pdppmcp/pdpp-mcp/golden"
	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// expected is the member of a case that holds its problems.
const expected = "problems"

// The project's specs have no problems, and every argument is resolved.
func TestShippedSpecsLoad(t *testing.T) {
	surface, err := toolspec.Load(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range surface.Tools {
		names = append(names, tool.Name)
		for _, argument := range tool.Arguments {
			if argument.Name == "" || argument.Type == "" {
				t.Errorf("%s has an unresolved argument %+v", tool.Name, argument)
			}
		}
	}
	files, err := filepath.Glob("tools/*.yaml")
	if err != nil || len(names)+len(surface.Commands) != len(files) { // R-SURF-1: no tool but those of surface.yaml
		t.Errorf("%v and %d commands are loaded from %v (%v)", names, len(surface.Commands), files, err)
	}
}

// Each case of testdata/bad lays its files over testdata/base.txtar and pins every problem, word for word. `go test
// ./toolspec -update` rewrites them, to be read as a diff.
func TestBadSpecs(t *testing.T) {
	cases, err := filepath.Glob("testdata/bad/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			files := base(t)
			last := len(archive.Files) - 1
			if last < 0 || archive.Files[last].Name != expected {
				t.Fatalf("the last member must be %q", expected)
			}
			maps.Copy(files, members(archive.Files[:last]))
			got := problemsOf(t, files)
			if golden.Updates() {
				archive.Files[last].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(archive.Files[last].Data), got); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

// The surface that the cases start from has no problems.
func TestBaseLoads(t *testing.T) {
	if _, err := toolspec.Load(base(t)); err != nil {
		t.Fatal(err)
	}
}

// The problems of an empty folder name the missing files and keep their causes.
func TestLoadEmptyFolder(t *testing.T) {
	_, err := toolspec.Load(fstest.MapFS{})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v does not keep its cause", err)
	}
	var problems toolspec.Problems
	if !errors.As(err, &problems) || len(problems) != 2 {
		t.Fatalf("got %v, want two problems", err)
	}
	if problems[0].File != "toolspec/surface.yaml" || problems[1].File != "toolspec/tools" {
		t.Errorf("got %v, want problems with surface.yaml and tools", err)
	}
}

// A shared argument keeps its keys where the tool does not override them.
func TestUseOverrides(t *testing.T) {
	files := base(t)
	text := string(files["tools/list.yaml"].Data)
	text = strings.Replace(text, "use: fields", "{use: fields, send: repeated, description: Names.}", 1)
	files["tools/list.yaml"] = &fstest.MapFile{Data: []byte(text)}
	surface, err := toolspec.Load(files)
	if err != nil {
		t.Fatal(err)
	}
	want := toolspec.Argument{
		Use: "fields", Name: "fields", Type: "string_list", Check: "field_names", Send: "repeated", Description: "Names.",
	}
	if diff := cmp.Diff(want, surface.Tools[0].Arguments[2]); diff != "" {
		t.Errorf("argument (-want +got):\n%s", diff)
	}
}

// FuzzLoad reads any bytes as a tool: Load never panics, and returns a surface or problems with positions.
func FuzzLoad(f *testing.F) {
	archive, err := txtar.ParseFile("testdata/base.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range archive.Files {
		f.Add(file.Data)
	}
	f.Add([]byte("tool: &a list\narguments: [*a, {<<: *a}]\n"))
	f.Add([]byte("? {a: b}\n: c\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		files := members(archive.Files)
		files["tools/list.yaml"] = &fstest.MapFile{Data: text}
		surface, err := toolspec.Load(files)
		if (surface == nil) == (err == nil) {
			t.Fatalf("got surface %v and error %v, want one of them", surface, err)
		}
		var problems toolspec.Problems
		if err != nil && !errors.As(err, &problems) {
			t.Fatalf("error is %T, want Problems", err)
		}
		for _, problem := range problems {
			if problem.File == "" || problem.Line < 1 || problem.Column < 1 || strings.ContainsAny(problem.Error(), "\n\r") {
				t.Errorf("problem without a place, or on several lines: %q", problem.Error())
			}
		}
	})
}

func base(t *testing.T) fstest.MapFS {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/base.txtar")
	if err != nil {
		t.Fatal(err)
	}
	return members(archive.Files)
}

func members(files []txtar.File) fstest.MapFS {
	folder := fstest.MapFS{}
	for _, file := range files {
		folder[file.Name] = &fstest.MapFile{Data: file.Data}
	}
	return folder
}

// problemsOf loads specs that must not load, and returns their problems as text.
func problemsOf(t *testing.T, folder fs.FS) string {
	t.Helper()
	surface, err := toolspec.Load(folder)
	if err == nil {
		t.Fatal("loaded without a problem")
	}
	if surface != nil {
		t.Error("returned a surface and problems")
	}
	return err.Error() + "\n"
}
