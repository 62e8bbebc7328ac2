// Package seen returns what a host shows a model of a tool result: its text, or structured output (R-BUD-1).
package seen

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"image"
	_ "image/png" // the pictures of the sample
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Text returns what a model gets from a host that shows text: the content of a result, each part on its own line. A
// picture becomes one line. It returns an error if a picture is not what it is declared to be.
func Text(result *mcp.CallToolResult) (string, error) {
	var texts []string
	for _, content := range result.Content {
		switch content := content.(type) {
		case *mcp.TextContent:
			texts = append(texts, content.Text)
		case *mcp.ImageContent:
			line, err := picture(content)
			if err != nil {
				return "", err
			}
			texts = append(texts, line)
		}
	}
	return strings.Join(texts, "\n"), nil
}

// picture returns a description of a picture that a model sees.
func picture(content *mcp.ImageContent) (string, error) {
	head, format, err := image.DecodeConfig(bytes.NewReader(content.Data))
	if err != nil {
		return "", fmt.Errorf("read a picture that is declared as %s: %w", content.MIMEType, err)
	}
	if content.MIMEType != "image/"+format {
		return "", fmt.Errorf("a picture is declared as %s and is image/%s", content.MIMEType, format) //nolint:err113 // for a test's report
	}
	return fmt.Sprintf("picture width=%d height=%d sha256=%x", head.Width, head.Height, sha256.Sum256(content.Data)), nil
}

// Structured returns what a model gets from a host that shows structured output, as JSON: < and > are not escaped as
// for HTML. Of a result that has none, a picture's, it is the content, as in the requests of Codex and Claude Code
// (docs/clients.md).
func Structured(result *mcp.CallToolResult) (string, error) {
	if result.StructuredContent == nil {
		return Text(result)
	}
	var encoded strings.Builder
	encoder := json.NewEncoder(&encoded)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(result.StructuredContent); err != nil {
		return "", fmt.Errorf("encode structured output: %w", err)
	}
	return strings.TrimSuffix(encoded.String(), "\n"), nil
}
