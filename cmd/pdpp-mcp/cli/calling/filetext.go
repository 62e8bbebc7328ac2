package calling

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/saved"
	"github.com/pdppmcp/pdpp-mcp/runtime/blob"
	"github.com/pdppmcp/pdpp-mcp/runtime/blob/filetext"
	"github.com/pdppmcp/pdpp-mcp/runtime/document"
	"github.com/pdppmcp/pdpp-mcp/runtime/document/child"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// printText writes the text of a file (R-DOC-6), which is the one that the tool shows.
func printText(ctx context.Context, opener rs.Opener, request rs.Request, reference blob.Reference, target *saved.Target) error {
	if err := target.Check(); err != nil {
		return err
	}
	content, release, err := blob.Read(ctx, opener, request, reference, blob.MaxText)
	defer release()
	if err != nil {
		return err
	}
	text, err := textOf(ctx, content)
	if unreadable, ok := errors.AsType[*document.Error](err); ok {
		return invocation.Failf("%v", unreadable)
	}
	if err != nil {
		return err
	}
	text = content.Redact(text)
	if _, isScreen := invocation.OnTerminal(target.Terminal.Out); isScreen && !target.IsFile() {
		text = []byte(invocation.Printable(string(text)))
	}
	output, err := target.Open()
	if err != nil {
		return err
	}
	defer output.Discard()
	if _, err := io.Copy(output, bytes.NewReader(text)); err != nil {
		return err
	}
	return output.Publish()
}

func textOf(ctx context.Context, content *blob.Content) ([]byte, error) {
	if format := document.Sniff(content.Data); format != "" {
		return child.Text(ctx, format, content.Data)
	}
	kind := blob.KindOf(content.ContentType)
	if !kind.IsText() {
		kind = filetext.KindOf(content.Data)
	}
	_, parameters := blob.SplitMediaType(content.ContentType)
	text, ok := filetext.Read(content.Data, kind, parameters["charset"])
	if !ok || !kind.IsText() {
		return nil, invocation.Failf("its bytes are not text; leave out --text to save the file")
	}
	return text.Bytes, nil
}
