package golden_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/sandbox/sample"
)

// R-FIND-4: no stream, connector or field of a source is named in hand-written Go of the runtime: what a field means is
// in records.yaml. Names that the resource server has too (id, name, …) are left out.
func TestSourcesAreNamedInTheSpecsAlone(t *testing.T) {
	names := map[string]bool{}
	for _, connector := range sample.Shared().Connectors {
		names[connector.Key] = true
		for _, stream := range connector.Streams {
			names[stream.Name] = true
			for _, field := range stream.Fields {
				names[field.Name] = strings.Contains(field.Name, "_") // one word is also an English one
			}
		}
	}
	for _, known := range []string{"size_bytes", "content_type", "blob_ref", "time_zone", "created_at", "duration_ms"} {
		delete(names, known) // members of the protocol, of credentials and of logs
	}
	err := fs.WalkDir(os.DirFS("../runtime"), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		positions := token.NewFileSet()
		file, err := parser.ParseFile(positions, path.Join("../runtime", name), nil, parser.ParseComments)
		if err != nil || ast.IsGenerated(file) {
			return err
		}
		for _, each := range texts(file) {
			if names[each.value] {
				t.Errorf("%s: %q is a name of a source", positions.Position(each.at), each.value)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
