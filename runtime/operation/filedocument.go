package operation

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/blob"
	"github.com/pdppmcp/pdpp-mcp/runtime/blob/filetext"
	"github.com/pdppmcp/pdpp-mcp/runtime/document"
	"github.com/pdppmcp/pdpp-mcp/runtime/document/child"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// document shows a window of a document's text (R-DOC-1). A window that reaches a page without text ends with it and has its image
// (R-DOC-3).
func (r *fileField) document(ctx context.Context, content *blob.Content, format document.Format) (*tool.Result, error) {
	read, err := child.Text(ctx, format, content.Data)
	if err != nil {
		return r.failed(ctx, content, format, err)
	}
	text := content.Redact(read)
	parts := document.Parts(text)
	selector := r.selector()
	window, found := selector.Select(text)
	if !found {
		return nil, r.noMatch()
	}
	scan := -1
	if !window.Matched {
		scan, selector.End = scanIn(parts, window)
		window, _ = selector.Select(text) // without a match it is always found
	}
	file := r.described(nil, "")
	file.Document = describeDocument(format, parts, window)
	if scan < 0 {
		return r.window(ctx, content, text, window, file)
	}
	image, err := child.Image(ctx, content.Data, scan+1)
	switch {
	case ctx.Err() != nil:
		return nil, outOfTime(ctx.Err())
	case err != nil:
		file.Note = fmt.Sprintf("There is no text on %s, and it cannot be shown as an image.", parts[scan].Mark)
		return r.window(ctx, content, text, window, file)
	}
	if picture, ok := blob.ReadPicture(image); ok {
		file.About = append(file.About, picture.About()...)
	}
	file.Note = fmt.Sprintf("There is no text on %s. It follows as an image. If it is missing, the host does not support images.", parts[scan].Mark)
	result, err := r.window(ctx, content, text, window, file)
	if err == nil {
		result.File = &tool.File{MediaType: http.DetectContentType(image), Data: image}
	}
	return result, err
}

// scanIn returns the first page without text in a window, or -1, and where the window must end because of it.
func scanIn(parts []document.Part, window filetext.Window) (scan int, end *int64) {
	for i, part := range parts {
		if !part.IsScan || part.End <= window.Start || part.Start >= window.End {
			continue
		}
		if part.End > window.End && part.Start > window.Start {
			return -1, &part.Start
		}
		return i, &part.End
	}
	return -1, nil
}

// describeDocument returns the format, the number of pages, slides or sheets, and the one in which the match or the window begins.
func describeDocument(format document.Format, parts []document.Part, window filetext.Window) rawjson.Object {
	described := rawjson.Object{rawjson.String("format", string(format))}
	place := window.Start
	if window.Matched {
		place = window.MatchStart
	}
	for _, part := range parts {
		if part.Start <= place && place < part.End {
			described = append(described, rawjson.Int(string(part.Unit)+"s", int64(part.Total)), rawjson.String("part", part.Mark))
		}
	}
	return described
}

// failed describes a document that cannot be read (R-DOC-5).
func (r *fileField) failed(ctx context.Context, content *blob.Content, format document.Format, err error) (*tool.Result, error) {
	refused, isRefused := errors.AsType[*document.Error](err)
	switch {
	case isRefused:
		return r.unreadable(content.Response(r.record), format, refused)
	case ctx.Err() != nil:
		return nil, outOfTime(err)
	}
	return nil, err
}

func (r *fileField) unreadable(response *rs.Response, format document.Format, refused *document.Error) (*tool.Result, error) {
	file := r.described(nil, strings.ToUpper(refused.Detail[:1])+refused.Detail[1:]+", so its text cannot be shown.")
	file.Document = rawjson.Object{
		rawjson.String("format", string(format)), rawjson.Bool("readable", false), rawjson.String("reason", string(refused.Reason)),
	}
	return render.File(response, file)
}

func outOfTime(cause error) error {
	return &rs.Failure{Reason: rs.Timeout, Message: "the call ended while the document was read", NextStep: "try again", Cause: cause}
}
