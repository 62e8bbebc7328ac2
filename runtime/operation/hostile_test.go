package operation_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/operation"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// R-ERR-4: whatever the document, there is a bounded result or a typed error.
func FuzzSchema(f *testing.F) {
	for _, name := range []string{"captured/011b", "full_stream", "captured/015", "captured/017"} {
		body, err := os.ReadFile(filepath.Join("testdata", name+".json"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(body), "messages", "cin_gmail_personal")
	}
	f.Fuzz(func(t *testing.T, body, stream, connection string) {
		for _, input := range []operation.SchemaInput{
			{},
			{ConnectionID: &connection},
			{Stream: &stream},
			{Stream: &stream, ConnectionID: &connection},
			{Stream: &stream, Detail: pointer("full")},
		} {
			result, err := operation.Schema(context.Background(), tool.Env{RS: serving(body)}, input)
			if err != nil {
				continue
			}
			if len(result.Text) > 4*render.ChannelCharacters || render.Length(result.Text) > render.ChannelCharacters ||
				render.Length(string(result.Structured)) > render.ChannelCharacters || !json.Valid(result.Structured) {
				t.Errorf("%s", body)
			}
		}
	})
}
