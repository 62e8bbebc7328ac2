package golden_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"
)

// readers are the released types that implement rs.Reader themselves. A new one is added here, and must read bytes too.
var readers = []string{"runtime/grant/fanout.Reader", "runtime/grant/membership.grant", "runtime/provider/rs.Client"}

// R-BLOB-2: whatever reads from a resource server reads bytes as well, since a reader that does not hides files without
// an error. tool.Wrap makes every type that embeds a reader, because it passes bytes on.
func TestReadersReadBytes(t *testing.T) {
	methods := map[string][]string{} // by package and type
	for _, name := range strings.Fields(run(t, "git", "-C", "..", "ls-files", "-co", "--exclude-standard",
		"runtime/*.go", "cmd/*.go")) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), "../"+name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.StructType:
				if embedsReader(node, path.Dir(name)) && name != "runtime/tool/reader.go" {
					t.Errorf("%s embeds an rs.Reader, and so hides files; use tool.Wrap", name)
				}
			case *ast.FuncDecl:
				if receiver := receiverOf(node); receiver != "" {
					owner := path.Dir(name) + "." + receiver
					methods[owner] = append(methods[owner], node.Name.Name)
				}
			}
			return true
		})
	}
	var found []string
	for owner, has := range methods {
		if !slices.Contains(has, "Get") || !slices.Contains(has, "ProviderURL") {
			continue
		}
		found = append(found, owner)
		if !slices.Contains(has, "Open") {
			t.Errorf("%s is an rs.Reader and no rs.Opener, so files stay hidden behind it", owner)
		}
	}
	if slices.Sort(found); !slices.Equal(found, readers) {
		t.Errorf("the readers are %q, want %q", found, readers)
	}
}

// embedsReader reports whether a struct of a package embeds rs.Reader.
func embedsReader(node *ast.StructType, folder string) bool {
	return slices.ContainsFunc(node.Fields.List, func(field *ast.Field) bool {
		if len(field.Names) > 0 {
			return false
		}
		if within, is := field.Type.(*ast.Ident); is {
			return folder == "runtime/provider/rs" && within.Name == "Reader"
		}
		from, is := field.Type.(*ast.SelectorExpr)
		return is && from.Sel.Name == "Reader" && from.X.(*ast.Ident).Name == "rs"
	})
}

// receiverOf returns the name of a method's type; empty for a function.
func receiverOf(function *ast.FuncDecl) string {
	if function.Recv == nil {
		return ""
	}
	of := function.Recv.List[0].Type
	if pointer, is := of.(*ast.StarExpr); is {
		of = pointer.X
	}
	if named, is := of.(*ast.Ident); is {
		return named.Name
	}
	return "" // generic
}
