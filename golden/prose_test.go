package golden_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
)

// phrases has the phrases that docs/writing.md replaces. Vale checks comments, documents and specs against the same
// file.
const phrases = "../.vale/styles/pdpp/Phrases.yml"

// allowedPhrase marks a line whose phrase is right in its place. The reason follows.
const allowedPhrase = "// vale off: "

// Messages are string literals, and Vale reads neither those nor the names of tests.
func TestMessagesAreInPlainEnglish(t *testing.T) {
	timetest.WithoutRace(t)
	content, err := os.ReadFile(phrases)
	if err != nil {
		t.Fatal(err)
	}
	var rule struct{ Tokens []string }
	if err := yaml.Unmarshal(content, &rule); err != nil || len(rule.Tokens) == 0 {
		t.Fatalf("%s has %d tokens: %v", phrases, len(rule.Tokens), err)
	}
	replaced := regexp.MustCompile("(?i)" + strings.Join(rule.Tokens, "|"))
	for _, name := range strings.Fields(run(t, "git", "-C", "..", "ls-files", "-co", "--exclude-standard", "*.go")) {
		if strings.HasSuffix(name, "_gen.go") || strings.Contains(name, "testdata/") ||
			strings.HasPrefix(name, "sandbox/sample/") {
			continue
		}
		checkProse(t, name, replaced)
	}
}

// capital begins a word in the name of a test.
var capital = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// checkProse checks the string literals of a file, and the names of its tests.
func checkProse(t *testing.T, name string, replaced *regexp.Regexp) {
	content, err := os.ReadFile("../" + name)
	if os.IsNotExist(err) {
		return // removed, not committed yet
	}
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, content, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(content), "\n")
	for _, declaration := range file.Decls {
		test, isFunction := declaration.(*ast.FuncDecl)
		if !isFunction || !strings.HasSuffix(name, "_test.go") {
			continue
		}
		if found := replaced.FindString(capital.ReplaceAllString(test.Name.Name, "$1 $2")); found != "" {
			t.Errorf("%s: %s: %q: use plain words, see docs/writing.md", name, test.Name.Name, found)
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		literal, ok := node.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		for i, text := range strings.Split(literal.Value, "\n") {
			line := files.Position(literal.Pos()).Line + i
			if found := replaced.FindString(text); found != "" && !strings.Contains(lines[line-1], allowedPhrase) {
				t.Errorf("%s:%d: %q: use plain words, see docs/writing.md", name, line, found)
			}
		}
		return true
	})
}
