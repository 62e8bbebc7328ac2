package operation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/blob"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/document/child"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/filetext"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// document shows a window of a document's text (R-DOC-1). The window ends with the first page without text, and the result has the image
// of that page (R-DOC-3).
func (r *fileField) document(ctx context.Context, content *blob.Content, format document.Format) (*tool.Result, error) {
	parts, err := child.Parts(ctx, format, content.Data)
	refused, isRefused := errors.AsType[*document.Error](err)
	switch {
	case isRefused: // R-DOC-5
		return r.unreadable(content.Response(r.record), format, refused.Reason, refused.Detail)
	case err != nil:
		return nil, outOfTime(err)
	}
	redacted := func(text string) string { return string(content.Redact([]byte(text))) }
	for i, part := range parts {
		parts[i].Name, parts[i].Text = redacted(part.Name), redacted(part.Text)
	}
	text := []byte(document.Join(parts))
	selector := r.selector()
	window, found := selector.Select(text)
	if !found {
		return nil, r.noMatch()
	}
	scan := -1
	if !window.Matched {
		scan, selector.End = scanIn(parts, window)
		window, _ = selector.Select(text) // a selector without a match always succeeds
	}
	file := r.described(nil, "")
	file.Document = describeDocument(format, parts, window)
	var image []byte
	hasImage := false
	if scan >= 0 {
		if image, err = child.Image(ctx, content.Data, scan+1); ctx.Err() != nil {
			return nil, outOfTime(ctx.Err())
		}
		picture, isPicture := blob.ReadPicture(image)
		shown := ", and it cannot be shown as an image."
		if hasImage = err == nil && isPicture && len(image) <= blob.MaxImage; hasImage {
			shown = ". It follows as an image. If it is missing, the host does not support images."
			file.About = append(file.About, picture.About()...)
		}
		file.Note = "There is no text on " + parts[scan].Mark + shown
	}
	result, err := r.window(ctx, content, text, window, file)
	if err == nil && hasImage {
		result.File = &tool.File{MediaType: http.DetectContentType(image), Data: image}
	}
	return result, err
}

// scanIn returns the index of the first page without text in a window, or -1. end is where the window must end because of such a page, or
// nil.
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
		if part.Mark != "" && part.Start <= place && place < part.End {
			described = append(described, rawjson.Int(string(part.Unit)+"s", int64(part.Total)), rawjson.String("part", part.Mark))
		}
	}
	return described
}

func (r *fileField) unreadable(response *rs.Response, format document.Format, reason document.Obstacle, detail string) (*tool.Result, error) {
	file := r.described(nil, strings.ToUpper(detail[:1])+detail[1:]+", so its text cannot be shown.")
	file.Document = rawjson.Object{
		rawjson.String("format", string(format)), rawjson.Bool("readable", false), rawjson.String("reason", string(reason)),
	}
	return render.File(response, file)
}

func outOfTime(cause error) error {
	return &rs.Failure{Reason: rs.Timeout, Message: "the call ended while the document was read", NextStep: "try again", Cause: cause}
}

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
