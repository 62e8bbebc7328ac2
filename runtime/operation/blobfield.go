package operation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/blob"
	"github.com/pdppmcp/pdpp-mcp/runtime/blob/filetext"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// FieldWindowInput is the arguments of a call for a window of a field. A nil member was not given.
type FieldWindowInput struct {
	Call        render.Given
	Target      recordid.Target
	FieldPath   string
	OffsetChars *int64
	Cursor      *string
	Q           *string
	LimitChars  *int64
	BeforeChars *int64
	AfterChars  *int64
}

// Codes of the resource server's refusals of a window (rs-contract.md, field-window).
const (
	fieldNotText  = "field_not_text"
	queryNotFound = "query_not_found"
)

// unknownFieldCodes are those for a part of a field, whatever its value is (098b).
var unknownFieldCodes = []string{"field_not_granted", "field_not_found", "unknown_field", "invalid_field_path"}

// FieldWindow shows a window of a text field, or of the file to which the field refers.
func FieldWindow(ctx context.Context, env tool.Env, request rs.Request, input FieldWindowInput) (*tool.Result, error) {
	response, err := env.Get(ctx, request)
	if err != nil {
		return blobField(ctx, env, err, input)
	}
	return render.FieldWindow(ctx, env, response, render.FieldWindowInput{Call: input.Call, Target: input.Target, FieldPath: input.FieldPath})
}

// blobField shows the file of a field that the resource server refused to show as text (R-BLOB-2, R-BLOB-3): a window of its text, a
// picture, or what it is and how to get it. It reads the record and then the blob with the caller's bearer, and keeps nothing. If the
// field does not refer to a blob, its error is the refusal.
func blobField(ctx context.Context, env tool.Env, refused error, input FieldWindowInput) (*tool.Result, error) {
	var refusal *rs.Error
	opener, canOpen := env.RS.(rs.Opener)
	if !canOpen || !errors.As(refused, &refusal) || !input.mayRefer(refusal) {
		return nil, refused
	}
	response, err := env.RS.Get(ctx, input.recordRequest())
	if err != nil {
		return nil, err
	}
	value, target, err := render.FieldOf(response, input.Target, input.FieldPath)
	if err != nil {
		return nil, err
	}
	reference, isReference := blob.ParseReference(value)
	if !isReference {
		return nil, refused
	}
	input.Target = target
	file := &fileField{FieldWindowInput: input, opener: opener, record: response, reference: reference, refused: refusal}
	if env.WantsFile {
		return file.wholeFile(ctx)
	}
	return file.show(ctx)
}

// mayRefer reports whether a refused field may refer to a blob.
func (i FieldWindowInput) mayRefer(refusal *rs.Error) bool {
	return refusal.Code == fieldNotText || strings.Contains(i.FieldPath, ".") && slices.Contains(unknownFieldCodes, refusal.Code)
}

// recordRequest reads only the field of the record, unless a list of fields cannot hold its name.
func (i FieldWindowInput) recordRequest() rs.Request {
	request := i.request("v1", "streams", i.Target.Stream, "records", i.Target.RecordID)
	if field, _, _ := strings.Cut(i.FieldPath, "."); !strings.Contains(field, ",") {
		request.Query.String("fields", &field)
	}
	return request
}

// request reads a path from the record's source.
func (i FieldWindowInput) request(path ...string) rs.Request {
	var query rs.Query
	query.String("connection_id", i.Target.ConnectionID)
	return rs.Request{
		Path: rs.JoinPath(path...), Query: query,
		Sources: rs.OneSource{Stream: i.Target.Stream, ConnectionID: i.Target.ConnectionID},
	}
}

// fileField is a field that refers to a file.
type fileField struct {
	FieldWindowInput
	opener    rs.Opener
	record    *rs.Response
	reference blob.Reference
	refused   *rs.Error // of a window of the field
}

// read reads the blob up to a number of bytes. The caller calls forget when it no longer needs the content.
func (r *fileField) read(ctx context.Context, limit int64) (content *blob.Content, forget func(), err error) {
	return blob.Read(ctx, r.opener, r.request("v1", "blobs", r.reference.ID), r.reference, limit)
}

// wholeFile returns the file itself, for a host that reads it as a resource (R-BLOB-4).
func (r *fileField) wholeFile(ctx context.Context) (*tool.Result, error) {
	content, forget, err := r.read(ctx, blob.MostResource)
	defer forget()
	if err != nil {
		return nil, err
	}
	if err := content.Checked(); err != nil {
		return nil, err
	}
	result, err := r.file(content.Response(r.record), nil, "This is the whole file.")
	if err == nil {
		result.File = &tool.File{MediaType: cmp.Or(r.reference.MediaType, content.ContentType), Data: content.Data}
	}
	return result, err
}

// show returns what a model can see of the file.
func (r *fileField) show(ctx context.Context) (*tool.Result, error) {
	kind := blob.KindOf(r.reference.MediaType)
	switch size := r.reference.Size; {
	case kind == blob.Other:
		return r.file(r.record, nil, "A file of this kind cannot be shown as text. "+otherWays)
	case kind == blob.Image && size > blob.MostImage:
		return r.file(r.record, nil, fmt.Sprintf("A picture of more than %d bytes is not shown. %s", blob.MostImage, otherWays))
	case kind == blob.Unknown && size > blob.MostText:
		return r.file(r.record, nil, "The file is too large to see what it is. "+otherWays)
	}
	limit := int64(blob.MostText)
	if kind == blob.Image {
		limit = blob.MostImage
	}
	content, forget, err := r.read(ctx, limit)
	defer forget()
	var refusal *tool.Error
	switch {
	case errors.As(err, &refusal) && refusal.Code == tool.BlobTooLarge && !kind.IsText():
		return r.file(r.record, nil, fmt.Sprintf("The file has more than %d bytes and is not shown. %s", limit, otherWays))
	case err != nil:
		return nil, err
	}
	if kind == blob.Unknown {
		kind = detectKind(content.Data)
	}
	switch {
	case kind.IsText():
		return r.window(ctx, content, kind)
	case kind == blob.Image:
		return r.picture(content)
	}
	return r.file(content.Response(r.record), nil, "Its bytes are not text. "+otherWays)
}

// otherWays says how to get a file, in every result that does not show it.
const otherWays = "A host may open resource for its user; save is a command for a terminal."

// detectKind returns the kind of a file by its bytes alone.
func detectKind(data []byte) blob.Kind {
	if _, isPicture := blob.ReadPicture(data); isPicture && len(data) <= blob.MostImage {
		return blob.Image
	}
	return filetext.KindOf(data)
}

// picture shows a picture with the media type of its bytes, since hosts refuse a picture with a wrong one.
func (r *fileField) picture(content *blob.Content) (*tool.Result, error) {
	picture, ok := blob.ReadPicture(content.Data)
	if !ok {
		return r.file(content.Response(r.record), nil, "It is declared as a picture, but cannot be shown as one. "+otherWays)
	}
	if err := content.Checked(); err != nil {
		return nil, err
	}
	about := rawjson.Object{rawjson.Int("width", int64(picture.Width)), rawjson.Int("height", int64(picture.Height))}
	note := "The picture follows as an image. If there is none, the host does not pass images on. " + otherWays
	if declared, _ := blob.SplitMediaType(r.reference.MediaType); declared != "" && declared != picture.MediaType {
		note = "It is declared as " + declared + ", but is " + picture.MediaType + ". " + note
	}
	result, err := r.file(content.Response(r.record), about, note)
	if err == nil {
		result.File = &tool.File{MediaType: picture.MediaType, Data: content.Data}
	}
	return result, err
}

func (r *fileField) file(response *rs.Response, about rawjson.Object, note string) (*tool.Result, error) {
	return render.File(response, render.FileInput{
		Target: r.Target, FieldPath: r.FieldPath, Reference: r.reference, About: append(r.declared(), about...), Note: note,
	})
}

// declared returns what the record says of the file.
func (r *fileField) declared() rawjson.Object {
	var declared rawjson.Object
	if r.reference.MediaType != "" {
		declared = append(declared, rawjson.String("media_type", r.reference.MediaType))
	}
	if r.reference.Size >= 0 {
		declared = append(declared, rawjson.Int("size_bytes", r.reference.Size))
	}
	return declared
}

// window shows a window of the file's text like one of a text field.
func (r *fileField) window(ctx context.Context, content *blob.Content, kind blob.Kind) (*tool.Result, error) {
	_, declared := blob.SplitMediaType(r.reference.MediaType)
	_, sent := blob.SplitMediaType(content.ContentType)
	text, ok := filetext.Read(content.Data, kind, cmp.Or(declared["charset"], sent["charset"]))
	if !ok {
		return nil, &tool.Error{
			Code:    tool.BlobNotText,
			Message: fmt.Sprintf("the file is declared as %s, but its bytes are not text; save it with %s", r.reference.MediaType, r.reference.Command()),
		}
	}
	selector := filetext.Selector{Offset: r.OffsetChars, Limit: r.LimitChars, Before: r.BeforeChars, After: r.AfterChars}
	if r.Cursor != nil {
		offset, _ := strconv.ParseInt(*r.Cursor, 10, 64) // other cursors are refused before the call
		selector.Offset = &offset
	}
	if r.Q != nil {
		selector.Match = *r.Q
	}
	whole := content.Redact(text.Bytes)
	window, found := selector.Select(whole)
	if !found {
		return nil, r.noMatch()
	}
	field := append(append(rawjson.Object{rawjson.String("path", r.FieldPath)}, r.declared()...), rawjson.String("charset", text.Charset))
	if text.Detected {
		field = append(field, rawjson.Bool("charset_detected", true))
	}
	if text.Mended {
		field = append(field, rawjson.Bool("charset_errors", true))
	}
	response := content.Response(r.record).WithMembers(rawjson.Object{
		rawjson.Raw("field", field.Encode()), rawjson.Raw("window", window.Members().Encode()),
	})
	return render.FieldWindow(ctx, tool.Env{}, response, render.FieldWindowInput{
		Call: r.Call, Target: r.Target, FieldPath: r.FieldPath,
		Another: func(offset, limit int64) rawjson.Object {
			other, _ := filetext.Selector{Offset: &offset, Limit: &limit}.Select(whole) // false only without a match
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
