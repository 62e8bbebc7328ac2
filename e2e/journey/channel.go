package journey

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"image"
	_ "image/png" // the pictures of the sample
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/journey/blind"
)

// Channel is one part of a result: its name, and how to read it.
type Channel struct {
	Name string
	Read blind.Channel
	Show func(*testing.T, *mcp.CallToolResult) string
}

// Channels are the two parts of a result. A host shows a model one of them.
var Channels = []Channel{{"text", blind.Text{}, Text}, {"structured", blind.Structured{}, Structured}}

// Text returns what a host that shows text gives a model: the content of a result, each part on its own line. A picture
// becomes one line.
func Text(t *testing.T, result *mcp.CallToolResult) string {
	t.Helper()
	var texts []string
	for _, content := range result.Content {
		switch content := content.(type) {
		case *mcp.TextContent:
			texts = append(texts, content.Text)
		case *mcp.ImageContent:
			texts = append(texts, seenPicture(t, content))
		}
	}
	return strings.Join(texts, "\n")
}

// seenPicture is what a model can tell of a picture that it sees, and which picture that is.
func seenPicture(t *testing.T, content *mcp.ImageContent) string {
	t.Helper()
	head, format, err := image.DecodeConfig(bytes.NewReader(content.Data))
	if err != nil || content.MIMEType != "image/"+format {
		t.Errorf("a picture is declared as %s and is %q: %v", content.MIMEType, format, err)
	}
	return fmt.Sprintf("picture width=%d height=%d sha256=%x", head.Width, head.Height, sha256.Sum256(content.Data))
}

// Structured is what a host that shows structured output gives a model, as JSON: < and > are not escaped as for HTML. Of a
// result that has none, a picture's, it is the content, as in the requests of Codex and Claude Code (docs/clients.md).
func Structured(t *testing.T, result *mcp.CallToolResult) string {
	t.Helper()
	if result.StructuredContent == nil {
		return Text(t, result)
	}
	var encoded strings.Builder
	encoder := json.NewEncoder(&encoded)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(result.StructuredContent); err != nil {
		t.Errorf("structured output is no JSON: %v", err)
	}
	return strings.TrimSuffix(encoded.String(), "\n")
}
