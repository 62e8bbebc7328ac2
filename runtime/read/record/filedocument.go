package record

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/blob"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/document/child"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/filetext"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// document returns a window of a document's text (R-DOC-1). The window ends with the first page without text, and the
// result has the image of that page (R-DOC-3).
func (r *fileField) document(ctx context.Context, content *blob.Content, format document.Format) (*answer.Window, error) {
	parts, err := child.Parts(ctx, r.caller, format, content.Data)
	refused, isRefused := errors.AsType[*document.Error](err)
	switch {
	case isRefused: // R-DOC-5
		return r.unreadable(originOfFile(content), format, refused.Reason, refused.Detail)
	case err != nil:
		return nil, outOfTime(err)
	}
	text := []byte(document.Join(parts))
	if !bytes.Equal(content.Redact(text), text) { // rarely; the places of the parts depend on their texts
		for i, part := range parts {
			parts[i].Name, parts[i].Text = string(content.Redact([]byte(part.Name))), string(content.Redact([]byte(part.Text)))
		}
		text = content.Redact([]byte(document.Join(parts)))
	}
	for i := range parts {
		parts[i].Text = "" // text has it
	}
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
	w := r.window(content, text, window, nil)
	w.File.Document = describeDocument(format, parts, window)
	if scan < 0 {
		return w, nil
	}
	image, err := child.Image(ctx, r.caller, content.Data, scan+1)
	if ctx.Err() != nil {
		return nil, outOfTime(ctx.Err())
	}
	shown := ", and it cannot be shown as an image."
	if picture, isPicture := blob.ReadPicture(image); err == nil && isPicture && len(image) <= blob.MaxImage {
		shown = ". It follows as an image. If it is missing, the host does not support images."
		w.Field = append(w.Field, picture.About()...)
		w.File.Shown = &answer.Attachment{MediaType: http.DetectContentType(image), Data: image}
	}
	w.File.Note = "There is no text on " + parts[scan].Mark + shown
	return w, nil
}

// scanIn returns the index of the first page without text in a window, or -1. end is where the window must end because
// of such a page, or nil.
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

// describeDocument returns the format, the number of pages, slides or sheets, the one in which the match or the window
// begins, and the one in which the window ends if that is another.
func describeDocument(format document.Format, parts []document.Part, window filetext.Window) rawjson.Object {
	described := rawjson.Object{rawjson.String("format", string(format))}
	place := window.Start
	if window.Matched {
		place = window.MatchStart
	}
	first := ""
	for _, part := range parts {
		if part.Mark != "" && part.Start <= place && place < part.End {
			first = part.Mark
			described = append(described, rawjson.Int(string(part.Unit)+"s", int64(part.Total)), rawjson.String("part", first))
		}
		if first != "" && part.Mark != first && part.Start < window.End && window.End <= part.End {
			described = append(described, rawjson.String("last_part", part.Mark))
		}
	}
	return described
}

func (r *fileField) unreadable(origin answer.Origin, format document.Format, reason document.Obstacle, detail string) (*answer.Window, error) {
	w := r.described(origin, nil, strings.ToUpper(detail[:1])+detail[1:]+", so its text cannot be shown.")
	w.File.Document = rawjson.Object{
		rawjson.String("format", string(format)), rawjson.Bool("readable", false), rawjson.String("reason", string(reason)),
	}
	return w, nil
}

func outOfTime(cause error) error {
	return &rs.Failure{Reason: rs.Timeout, Message: "the call ended while the document was read", NextStep: "try again", Cause: cause}
}

func (r *fileField) fileText(content *blob.Content, kind blob.Kind) (*answer.Window, error) {
	_, declared := blob.SplitMediaType(r.reference.MediaType)
	_, sent := blob.SplitMediaType(content.ContentType)
	text, ok := filetext.Read(content.Data, kind, cmp.Or(declared["charset"], sent["charset"]))
	if !ok {
		return nil, &tool.Error{
			Code:    tool.BlobNotText,
			Message: fmt.Sprintf("the file is declared as %s, but its bytes are not text; save it with %s", r.reference.MediaType, r.reference.Command(r.Target.ConnectionID)),
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
	if window.Start > 0 {
		about = append(about, rawjson.Texts("header", r.header(whole))...)
	}
	return r.window(content, whole, window, about), nil
}

// maxHeader is the maximum size in bytes of a header that is repeated.
const maxHeader = 1_000

// header returns the first line of a table, which names its columns, or "" for another file.
func (r *fileField) header(text []byte) string {
	mediaType, _ := blob.SplitMediaType(r.reference.MediaType)
	header, _, _ := bytes.Cut(text, []byte("\n"))
	if len(header) > maxHeader || !slices.Contains([]string{"text/csv", "application/csv", "text/tab-separated-values"}, mediaType) {
		return ""
	}
	return strings.TrimSuffix(string(header), "\r")
}

func (i FieldWindowInput) selector() filetext.Selector {
	selector := filetext.Selector{Offset: i.OffsetChars, Limit: i.LimitChars, Before: i.BeforeChars, After: i.AfterChars}
	if i.Cursor != nil {
		offset, _ := strconv.ParseInt(*i.Cursor, 10, 64) // other cursors are refused before the call
		selector.Offset = &offset
	}
	if i.Q != nil {
		selector.Match = *i.Q
	}
	return selector
}

// window returns a window of the file's text.
func (r *fileField) window(content *blob.Content, text []byte, window filetext.Window, about rawjson.Object) *answer.Window {
	w := r.described(originOfFile(content), about, "")
	w.Text, w.Range = window.Text, window.Members()
	if r.Q != nil {
		search := newMatchSearch(*r.Q, window.MatchEnd)
		search.in(0, text)
		search.found.Lead = filetext.ShortestLead
		w.Matches = &search.found
	}
	return w
}

// noMatch returns the refusal of words that do not occur in the file. The adapter has searched it, not the resource
// server (R-WIN-4).
func (r *fileField) noMatch() *tool.Error {
	return &tool.Error{
		Code: tool.TextNotFound, Param: tool.FieldQ,
		Message: fmt.Sprintf("q does not occur in the file of field %q, which the adapter has searched to its end; pass fewer words, or leave q out to read from the beginning", r.FieldPath),
	}
}
