package golden_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pdppmcp/pdpp-mcp/gen"
)

// rsWords lists where a text that equals a tool's or an argument's name means something else, such as a command or an
// attribute of XML. Every line has its reason. The words of the resource server and of results are in package wire.
const rsWords = "rs_words.txt"

// A tool's or argument's name occurs in the specs and in generated code, never in hand-written code, so that a name is
// changed, or a tool added, in YAML only. A text that equals one fails the test unless rs_words.txt explains it; as the
// name of a tool or the parameter of an error it fails in every file.
func TestNamesAreOnlyInTheSpecs(t *testing.T) {
	allowed := readRSWords(t)
	used := map[string]bool{}
	for _, found := range spelled(t, os.DirFS("..")) {
		rule := allowed.of(found)
		switch {
		case found.asName && !strings.HasSuffix(rule, ": *"):
			t.Errorf("%s: %q is the name of a tool or an argument; take it from the generated names of package tool",
				found.place, found.name)
		case rule == "":
			t.Errorf(
				"%s: %q spells the name of a tool or an argument; take it from generated code or package wire, or say in golden/%s what it is",
				found.place, found.name, rsWords)
		}
		used[rule] = true
	}
	for _, rule := range slices.Sorted(maps.Keys(allowed)) {
		if !used[rule] {
			t.Errorf("golden/%s: nothing is spelled so any more: %s", rsWords, rule)
		}
	}
}

// The check finds a planted name of either kind, wherever it is.
func TestPlantedNamesAreSeen(t *testing.T) {
	for name, test := range map[string]struct {
		line   string
		want   string
		asName bool
	}{
		"a tool that is compared":       {`var _ = name == "query_records"`, "query_records", false},
		"a tool of a call":              {`var _ = Call{Tool: "search"}`, "search", true},
		"a tool in an advice":           {`const advice = "Read it with read_record_field."`, "read_record_field", false},
		"an argument of a refusal":      {`var _ = &Error{Param: "connection_id"}`, "connection_id", true},
		"a parameter that is set":       {`func f() { refused.Param = "cursor" }`, "cursor", true},
		"an argument that is looked up": {"var _ = has(`cursor`)", "cursor", false},
		"a word of the wire as a name":  {`var _ = &Error{Param: wire.Cursor}`, "wire.Cursor", true},
		"a name that is put together":   {`var _ = "query" + "_records"`, "query_records", false},
	} {
		t.Run(name, func(t *testing.T) {
			const file = "runtime/render/planted.go"
			found := spelled(t, fstest.MapFS{file: {Data: []byte("package render\n\n" + test.line + "\n")}})
			if len(found) != 1 || found[0].name != test.want || found[0].asName != test.asName || found[0].place != file+":3" {
				t.Errorf("found %+v, want %s in line 3", found, test.want)
			}
		})
	}
}

// spelling is a text that equals or contains a name.
type spelling struct {
	place  string // file and line
	file   string
	name   string
	asName bool // it is at a place for names only
}

// nameFields are members of literals that are the name of a tool or an argument.
var nameFields = []string{"Tool", "Param"}

// spelled returns every name that occurs in hand-written Go that is linked.
func spelled(t *testing.T, root fs.FS) []spelling {
	t.Helper()
	names, unmistakable := specNames()
	var found []spelling
	visit := func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == "testdata":
			return fs.SkipDir
		case entry.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		positions := token.NewFileSet()
		file, err := parser.ParseFile(positions, name, text, parser.ParseComments)
		if err != nil || ast.IsGenerated(file) {
			return err
		}
		for _, each := range texts(file) {
			spelledHere := unmistakable.FindAllString(each.value, -1)
			if slices.Contains(names, each.value) || strings.HasPrefix(each.value, "wire.") && each.asName {
				spelledHere = []string{each.value}
			}
			for _, spelt := range spelledHere {
				place := fmt.Sprintf("%s:%d", name, positions.Position(each.at).Line)
				found = append(found, spelling{place: place, file: name, name: spelt, asName: each.asName})
			}
		}
		return nil
	}
	for _, folder := range []string{"runtime", "cmd"} {
		if err := fs.WalkDir(root, folder, visit); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	return found
}

// text is a constant text of a file.
type text struct {
	value  string
	at     token.Pos
	asName bool
}

// texts returns the constant texts; a concatenation with + is one text. Struct tags are not included.
func texts(file *ast.File) []text {
	var found []text
	var within func(node ast.Node, asName bool)
	within = func(node ast.Node, asName bool) {
		ast.Inspect(node, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.Field:
				within(node.Type, false)
				return false
			case *ast.AssignStmt:
				if member, isMember := node.Lhs[0].(*ast.SelectorExpr); isMember && slices.Contains(nameFields, member.Sel.Name) {
					within(node.Rhs[0], true)
					return false
				}
			case *ast.KeyValueExpr:
				key, isField := node.Key.(*ast.Ident)
				if !isField {
					within(node.Key, false)
				}
				within(node.Value, isField && slices.Contains(nameFields, key.Name))
				return false
			case *ast.SelectorExpr:
				if from, isName := node.X.(*ast.Ident); asName && isName && from.Name == "wire" {
					found = append(found, text{value: "wire." + node.Sel.Name, at: node.Pos(), asName: true})
				}
			case ast.Expr:
				if value, constant := constantText(node); constant {
					found = append(found, text{value: value, at: node.Pos(), asName: asName})
					return false
				}
			}
			return true
		})
	}
	within(file, false)
	return found
}

func constantText(expression ast.Expr) (string, bool) {
	switch expression := expression.(type) {
	case *ast.BasicLit:
		value, err := strconv.Unquote(expression.Value)
		return value, err == nil && expression.Kind == token.STRING
	case *ast.BinaryExpr:
		left, leftConstant := constantText(expression.X)
		right, rightConstant := constantText(expression.Y)
		return left + right, expression.Op == token.ADD && leftConstant && rightConstant
	case *ast.ParenExpr:
		return constantText(expression.X)
	}
	return "", false
}

// specNames returns the names of every tool and argument, and the names of tools that are neither an English word nor
// one of the resource server; the latter are also found within texts.
func specNames() (names []string, unmistakable *regexp.Regexp) {
	surface := gen.Surface()
	var phrases []string
	for _, definition := range surface.Tools {
		names = append(names, definition.Name)
		if strings.Contains(definition.Name, "_") {
			phrases = append(phrases, definition.Name)
		}
		for _, argument := range definition.Arguments {
			names = append(names, argument.Name)
		}
	}
	return names, regexp.MustCompile(`\b(` + strings.Join(phrases, "|") + `)\b`)
}

// words has the lines of rs_words.txt: file or folder, and a name or *.
type words map[string]bool

// of returns the rule that allows a spelling, or an empty string.
func (w words) of(found spelling) string {
	for place := found.file; place != "./"; place = path.Dir(strings.TrimSuffix(place, "/")) + "/" {
		for _, name := range []string{found.name, "*"} {
			if rule := place + ": " + name; w[rule] {
				return rule
			}
		}
	}
	return ""
}

func readRSWords(t *testing.T) words {
	t.Helper()
	allowed := words{}
	for number, line := range strings.Split(string(readFile(t, rsWords)), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		rule, reason, _ := strings.Cut(line, " # ")
		place, names, found := strings.Cut(rule, ": ")
		if !found || strings.TrimSpace(reason) == "" {
			t.Errorf("golden/%s:%d: %q is not place: names # reason", rsWords, number+1, line)
		}
		for _, name := range strings.Fields(names) {
			if allowed[place+": "+name] {
				t.Errorf("golden/%s:%d: %s: %s stands twice", rsWords, number+1, place, name)
			}
			allowed[place+": "+name] = true
		}
	}
	return allowed
}
