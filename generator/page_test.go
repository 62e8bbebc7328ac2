package generator_test

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pdppmcp/pdpp-mcp/generator"
	"github.com/pdppmcp/pdpp-mcp/golden"
)

// addPage is the page about how to add an argument and a tool.
const addPage = "../docs/add-a-tool.md"

// The changes that the page shows apply to the project's specs: first the argument, then the tool. The tool is listed,
// documented, within the budgets of the page, compiles, and reads the resource server.
func TestThePageAddsATool(t *testing.T) {
	changes := shownChanges(t)
	if len(changes) != 3 {
		t.Fatalf("the page shows %d changes, want an argument, a tool and its place in the surface", len(changes))
	}
	specs := specsOfProject(t)
	changes[0].apply(t, specs)
	generate(t, specs)
	for _, change := range changes[1:] {
		change.apply(t, specs)
	}
	raiseBudget(specs)
	after := generate(t, specs)
	for name, want := range map[string]string{
		"golden/tools_list.json":      `"name": "newest_records"`,
		"docs/tools/query_records.md": "| `since_version` | integer |  | Only newer versions.",
		"docs/tools/README.md":        "](newest_records.md)",
		"README.md":                   "](docs/tools/newest_records.md)",
	} {
		if !strings.Contains(after[name], want) {
			t.Errorf("%s does not have %s:\n%s", name, want, after[name])
		}
	}
	after["gen/shown_test.go"] = readFile(t, "testdata/added/shown_test.go.txt")
	goCommand(t, overlay(t, after), "./gen", "test")
}

// The generator prints the problems that the page shows.
func TestThePageShowsRealProblems(t *testing.T) {
	page := readFile(t, addPage)
	changes := shownChanges(t)
	misspelt := specsOfProject(t)
	changes[1].apply(t, misspelt)
	changes[2].apply(t, misspelt)
	spec := misspelt[changes[1].file]
	spec.Data = []byte(strings.Replace(string(spec.Data), "safe_name", "safe_nam", 1))
	tooLarge := specsOfProject(t)
	changes[1].apply(t, tooLarge)
	changes[2].apply(t, tooLarge)
	for name, specs := range map[string]fs.FS{"a misspelt word": misspelt, "a tool without a budget": tooLarge} {
		_, err := generator.Files(specs)
		if err == nil {
			t.Errorf("%s is no problem", name)
			continue
		}
		first, _, _ := strings.Cut(err.Error(), "\n")
		if size := sizes.ReplaceAllString(first, "0"); !strings.Contains(sizes.ReplaceAllString(page, "0"), "\n"+size+"\n") {
			t.Errorf("%s: the page does not show %q", name, first)
		}
	}
}

// sizes are the figures of a problem with a budget. They change with the surface.
var sizes = regexp.MustCompile(`\d{3,}|\b\d+ over`)

// raiseBudget makes room for another tool.
func raiseBudget(specs fstest.MapFS) {
	surface := specs["toolspec/surface.yaml"]
	surface.Data = regexp.MustCompile(`budget: \{bytes: \d+, tokens: \d+`).ReplaceAll(surface.Data,
		[]byte("budget: {bytes: 20000, tokens: 5000"))
}

// shownChange is a block of the page: a new file, or lines of a file before and after the change.
type shownChange struct {
	file          string
	before, after string
}

var (
	block    = regexp.MustCompile("(?ms)^( *)```(yaml|diff)\n(.*?)^ *```$")
	specName = regexp.MustCompile("`(toolspec/[a-z_/]+\\.yaml)`")
)

// shownChanges returns the YAML blocks and diffs of the page. Each belongs to the file that the page named last before
// it.
func shownChanges(t *testing.T) []shownChange {
	t.Helper()
	page := readFile(t, addPage)
	var changes []shownChange
	for _, found := range block.FindAllStringSubmatchIndex(page, -1) {
		names := specName.FindAllStringSubmatch(page[:found[0]], -1)
		if names == nil {
			t.Fatal("a block precedes the first file name")
		}
		change := shownChange{file: names[len(names)-1][1]}
		indent, kind := page[found[2]:found[3]], page[found[4]:found[5]]
		for line := range strings.Lines(page[found[6]:found[7]]) {
			line = strings.TrimPrefix(line, indent)
			switch {
			case kind == "yaml":
				change.after += line
			case strings.HasPrefix(line, "-"):
				change.before += line[1:]
			case strings.HasPrefix(line, "+"):
				change.after += line[1:]
			default:
				change.before += line[1:]
				change.after += line[1:]
			}
		}
		changes = append(changes, change)
	}
	return changes
}

func (c shownChange) apply(t *testing.T, specs fstest.MapFS) {
	t.Helper()
	present := specs[c.file]
	if present == nil && c.before == "" {
		specs[c.file] = &fstest.MapFile{Data: []byte(c.after)}
		return
	}
	if present == nil || c.before == "" || strings.Count(string(present.Data), c.before) != 1 {
		t.Fatalf("%s: want once the lines that the page changes:\n%s", c.file, c.before)
	}
	present.Data = []byte(strings.Replace(string(present.Data), c.before, c.after, 1))
}

func generate(t *testing.T, specs fs.FS) map[string]string {
	t.Helper()
	files, err := generator.Files(specs)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for name, text := range files {
		texts[name] = string(text)
	}
	return texts
}

// specsOfProject returns the specs of the project, and the pages with generated parts.
func specsOfProject(t *testing.T) fstest.MapFS {
	t.Helper()
	root := fstest.MapFS{}
	for _, page := range []string{"README.md"} {
		root[page] = &fstest.MapFile{Data: []byte(readFile(t, "../"+page))}
	}
	for name, text := range golden.Tree(t, "../toolspec") {
		root["toolspec/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	return root
}
