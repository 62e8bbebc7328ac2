package plan

import (
	"strings"

	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// terminal plans what a command has beside its request; nil for a tool of MCP clients.
func (b *builder) terminal() *Terminal {
	if !b.spec.Terminal() {
		return nil
	}
	planned := &Terminal{Words: strings.Fields(b.spec.Command)}
	if result := b.spec.Result; result != nil {
		planned.Columns, planned.Secret = result.Columns, result.Secret
		planned.Download = result.Render == toolspec.RenderFile
	}
	return planned
}

// IsDownload tells a command whose answer is bytes for a file.
func (t Tool) IsDownload() bool { return t.Terminal != nil && t.Terminal.Download }
