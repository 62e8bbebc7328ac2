package files_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"image/png"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/hosttest"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/blob"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/audit"
)

// uri returns the resource of the file.
func uri(field string) string {
	return recordid.FormatURI(recordid.URI{
		Kind: recordid.KindBlob, Record: recordid.Handle{ConnectionID: "cin_1", Stream: "attachments", RecordID: "a1"},
		Window: recordid.FieldWindow{FieldPath: field},
	})
}

// shownOf returns the content of the file that a host gets.
func shownOf(t *testing.T, session *mcp.ClientSession) *mcp.CallToolResult {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{
		Name: "read_record_field", Arguments: json.RawMessage(`{"id":"cin_1/attachments:a1","field_path":"blob_ref"}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// connect opens a session with a server that keeps account of its calls (R-OPS-2), as the local one does. A busy
// machine does not end a call.
func (p *provider) connect(t *testing.T) *mcp.ClientSession {
	t.Helper()
	options := hosttest.Options
	options.Timeout = time.Hour
	options.Audit = audit.NewFile(filepath.Join(t.TempDir(), "activity"), audit.LocalLimits, slog.New(slog.DiscardHandler))
	return hosttest.Connect(t, gen.Surface(), options, p.environment)
}

// R-BLOB-3: a picture is one image block next to the text that describes it. It has no structured content, with which
// Codex shows no image; of any other file that is not text the result is not an error, and says what it is and the ways
// to it, and the file itself is not asked for. No text holds base64.
func TestPicturesAndOtherFiles(t *testing.T) {
	p := newProvider(t)
	session := p.connect(t)
	data := picture(3, 2, png.Encode)
	p.has(file{declared: "image/png", data: data})
	result := shownOf(t, session)
	if len(result.Content) != 2 || result.IsError || result.StructuredContent != nil {
		t.Fatalf("the result has %d blocks, error %t, structured content %v", len(result.Content), result.IsError,
			result.StructuredContent)
	}
	text := result.Content[0].(*mcp.TextContent).Text
	image, isImage := result.Content[1].(*mcp.ImageContent)
	if !isImage || image.MIMEType != "image/png" || !bytes.Equal(image.Data, data) {
		t.Errorf("the second block is %+v", result.Content[1])
	}
	if !strings.HasPrefix(text, `id="cin_1/attachments:a1" field_path="blob_ref" media_type="image/png" size_bytes=`) ||
		strings.Contains(text, "iVBOR") {
		t.Errorf("the text is %s", text)
	}
	for name, other := range map[string]file{
		"a film":                  {declared: "video/mp4", data: []byte("%PDF-1.4 ")},
		"a picture that is large": {declared: "image/png", data: data, size: blob.MaxImage + 1},
	} {
		p.has(other)
		result := shownOf(t, session)
		structured, _ := json.Marshal(result.StructuredContent)
		for _, want := range []string{uri("blob_ref"), "pdpp-mcp blob blob_1 --connection-id cin_1 -o file", other.declared} {
			if !strings.Contains(result.Content[0].(*mcp.TextContent).Text, want) ||
				!strings.Contains(string(structured), want) {
				t.Errorf("%s: a channel lacks %s: %s", name, want, structured)
			}
		}
		if len(result.Content) != 1 || result.IsError || p.asked() != "a1 1, field-window 1" {
			t.Errorf("%s: %d blocks, error %t, asked for %s", name, len(result.Content), result.IsError, p.asked())
		}
	}
}

// R-BLOB-4: the resource of a file is its bytes with their media type. One that is too large, and a field that is no
// file, are typed errors.
func TestBlobResource(t *testing.T) {
	p := newProvider(t)
	session := p.connect(t)
	templates, err := session.ListResourceTemplates(t.Context(), nil)
	if err != nil || len(templates.ResourceTemplates) != 4 {
		t.Errorf("there are %d templates, %v", len(templates.ResourceTemplates), err)
	}
	stored := bytes.Repeat([]byte("%PDF\x00"), blob.MaxResource/5)
	p.has(file{declared: "application/pdf", data: stored})
	read, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri("blob_ref")})
	if err != nil {
		t.Fatal(err)
	}
	if content := read.Contents[0]; !bytes.Equal(content.Blob, stored) || content.MIMEType != "application/pdf" ||
		content.Text != "" || content.URI != uri("blob_ref") {
		t.Errorf("the resource has %d bytes as %s", len(content.Blob), content.MIMEType)
	}
	if p.asked() != "a1 1, blob_1 1, field-window 1" {
		t.Errorf("the resource server was asked for %s", p.asked())
	}
	for name, test := range map[string]struct {
		file  file
		field string
		code  string
		says  string
	}{
		"too large": {
			file{declared: "application/pdf", data: stored, size: blob.MaxResource + 1},
			"blob_ref",
			"blob_too_large", "4194305",
		},
		"larger than it says": {
			file{declared: "application/pdf", data: append(stored, make([]byte, 10)...), size: -1},
			"blob_ref", "blob_too_large", "4194304",
		},
		"another digest": {
			file{declared: "application/pdf", data: stored, digest: strings.Repeat("a", 64)},
			"blob_ref",
			"rs_invalid_response", "SHA-256",
		},
		"no file": {file{declared: "application/pdf", data: stored}, "id", "field_not_text", ""},
	} {
		p.has(test.file)
		_, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri(test.field)})
		var failed *jsonrpc.Error
		if !errors.As(err, &failed) || !strings.Contains(string(failed.Data), `"code":"`+test.code+`"`) ||
			!strings.Contains(failed.Message, test.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
