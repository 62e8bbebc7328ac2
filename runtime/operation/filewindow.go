package operation

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/pdppmcp/pdpp-mcp/runtime/blob"
	"github.com/pdppmcp/pdpp-mcp/runtime/blob/filetext"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

func (r *fileField) fileText(ctx context.Context, content *blob.Content, kind blob.Kind) (*tool.Result, error) {
	_, declared := blob.SplitMediaType(r.reference.MediaType)
	_, sent := blob.SplitMediaType(content.ContentType)
	text, ok := filetext.Read(content.Data, kind, cmp.Or(declared["charset"], sent["charset"]))
	if !ok {
		return nil, &tool.Error{
			Code:    tool.BlobNotText,
			Message: fmt.Sprintf("the file is declared as %s, but its bytes are not text; save it with %s", r.reference.MediaType, r.reference.Command()),
		}
	}
	about := rawjson.Object{rawjson.String("charset", text.Charset)}
	if text.Detected {
		about = append(about, rawjson.Bool("charset_detected", true))
	}
	if text.Repaired {
		about = append(about, rawjson.Bool("charset_errors", true))
	}
	whole := content.Redact(text.Bytes)
	window, found := r.selector().Select(whole)
	if !found {
		return nil, r.noMatch()
	}
	return r.window(ctx, content, whole, window, r.described(about, ""))
}

func (r *fileField) selector() filetext.Selector {
	selector := filetext.Selector{Offset: r.OffsetChars, Limit: r.LimitChars, Before: r.BeforeChars, After: r.AfterChars}
	if r.Cursor != nil {
		offset, _ := strconv.ParseInt(*r.Cursor, 10, 64) // other cursors are refused before the call
		selector.Offset = &offset
	}
	if r.Q != nil {
		selector.Match = *r.Q
	}
	return selector
}

func (r *fileField) window(
	ctx context.Context, content *blob.Content, text []byte, window filetext.Window, file render.FileInput,
) (*tool.Result, error) {
	field := append(rawjson.Object{rawjson.String("path", r.FieldPath)}, file.About...)
	response := content.Response(r.record).WithMembers(rawjson.Object{
		rawjson.Raw("field", field.Encode()), rawjson.Raw("window", window.Members().Encode()),
	})
	return render.FieldWindow(ctx, tool.Env{}, response, render.FieldWindowInput{
		Call: r.Call, Target: r.Target, FieldPath: r.FieldPath, File: file,
		Another: func(offset, limit int64) rawjson.Object {
			other, _ := filetext.Selector{Offset: &offset, Limit: &limit}.Select(text) // false only without a match
			return other.Members()
		},
	})
}

// noMatch returns the refusal of words that do not occur in the file, in the form of the resource server.
func (r *fileField) noMatch() *rs.Error {
	message := fmt.Sprintf("q was not found in the file of field %q", r.FieldPath)
	envelope := rawjson.Object{rawjson.String("type", "not_found_error"), rawjson.String("code", queryNotFound), rawjson.String("message", message)}
	return &rs.Error{
		Status: http.StatusNotFound, Type: "not_found_error", Code: queryNotFound, Message: message, Envelope: envelope.Encode(),
		RequestID: r.record.RequestID, URL: r.refused.URL,
	}
}
