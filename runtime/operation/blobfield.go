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

// FieldWindowInput is a call for a window of a field. A nil member was not given.
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
	notText   = "field_not_text"
	notOccurs = "query_not_found"
)

var notField = []string{"field_not_granted", "field_not_found", "unknown_field", "invalid_field_path"}

// FieldWindow answers a call for a window of a field, and reads the file if the field refers to one.
func FieldWindow(ctx context.Context, env tool.Env, request rs.Request, input FieldWindowInput) (*tool.Result, error) {
	response, err := env.Get(ctx, request)
	if err != nil {
		return blobField(ctx, env, err, input)
	}
	return render.FieldWindow(ctx, env, response, render.FieldWindowInput{Call: input.Call, Target: input.Target, FieldPath: input.FieldPath})
}

// blobField answers a call for a window of a field whose value is no text but refers to a blob (R-BLOB-2, R-BLOB-3): with a
// window of the file's text, with a picture, or with what the file is and the ways to it. It reads the record and then the
// blob with the caller's bearer, and keeps nothing. What a field that refers to no blob was refused with is its error.
func blobField(ctx context.Context, env tool.Env, refused error, input FieldWindowInput) (*tool.Result, error) {
	var no *rs.Error
	opener, opens := env.RS.(rs.Opener)
	if !opens || !errors.As(refused, &no) || !input.mayRefer(no) {
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
	reference, refers := blob.ParseReference(value)
	if !refers {
		return nil, refused
	}
	input.Target = target
	read := &blobReading{FieldWindowInput: input, opener: opener, record: response, reference: reference, refused: no}
	if env.WantsFile {
		return read.whole(ctx)
	}
	return read.shown(ctx)
}

// mayRefer reports whether a refusal leaves it open that the field refers to a blob. Of the parts of a field a resource server says
// that it does not have them or does not grant them, whatever they are (098b).
func (i FieldWindowInput) mayRefer(no *rs.Error) bool {
	return no.Code == notText || strings.Contains(i.FieldPath, ".") && slices.Contains(notField, no.Code)
}

// recordRequest reads of the record the field alone, where its name can be asked for.
func (i FieldWindowInput) recordRequest() rs.Request {
	request := i.request("v1", "streams", i.Target.Stream, "records", i.Target.RecordID)
	if field, _, _ := strings.Cut(i.FieldPath, "."); !strings.Contains(field, ",") {
		request.Query.String("fields", &field)
	}
	return request
}

// request reads something of the record's source.
func (i FieldWindowInput) request(path ...string) rs.Request {
	var query rs.Query
	query.String("connection_id", i.Target.ConnectionID)
	return rs.Request{
		Path: rs.JoinPath(path...), Query: query,
		Sources: rs.OneSource{Stream: i.Target.Stream, ConnectionID: i.Target.ConnectionID},
	}
}

// blobReading is a field whose blob is read.
type blobReading struct {
	FieldWindowInput
	opener    rs.Opener
	record    *rs.Response
	reference blob.Reference
	refused   *rs.Error // what the resource server said of a window of the field
}

// read reads the blob. Forget gives back the room of its bytes.
func (r *blobReading) read(ctx context.Context, most int64) (content *blob.Content, forget func(), err error) {
	return blob.Read(ctx, r.opener, r.request("v1", "blobs", r.reference.ID), r.reference, most)
}

// whole is the file itself, for a host that reads it as a resource (R-BLOB-4).
func (r *blobReading) whole(ctx context.Context) (*tool.Result, error) {
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

// shown is what a model can be shown of the file.
func (r *blobReading) shown(ctx context.Context) (*tool.Result, error) {
	kind := blob.KindOf(r.reference.MediaType)
	switch size := r.reference.Size; {
	case kind == blob.Other:
		return r.file(r.record, nil, "A file of this kind cannot be shown as text. "+waysOn)
	case kind == blob.Image && size > blob.MostImage:
		return r.file(r.record, nil, fmt.Sprintf("A picture of more than %d bytes is not shown. %s", blob.MostImage, waysOn))
	case kind == blob.Unknown && size > blob.MostText:
		return r.file(r.record, nil, "The file is too large to see what it is. "+waysOn)
	}
	most := int64(blob.MostText)
	if kind == blob.Image {
		most = blob.MostImage
	}
	content, forget, err := r.read(ctx, most)
	defer forget()
	var refusal *tool.Error
	switch {
	case errors.As(err, &refusal) && refusal.Code == tool.BlobTooLarge && !kind.IsText():
		return r.file(r.record, nil, fmt.Sprintf("The file has more than %d bytes, and nothing of it is shown. %s", most, waysOn))
	case err != nil:
		return nil, err
	}
	if kind == blob.Unknown {
		kind = kindOf(content.Data)
	}
	switch {
	case kind.IsText():
		return r.window(ctx, content, kind)
	case kind == blob.Image:
		return r.picture(content)
	}
	return r.file(content.Response(r.record), nil, "Its bytes are no text. "+waysOn)
}

// waysOn says what the ways to a file are for, in any result that does not show it.
const waysOn = "A host may open resource for its user; save is a command for a terminal."

// kindOf is the kind of a file by its bytes alone.
func kindOf(data []byte) blob.Kind {
	if _, isPicture := blob.ReadPicture(data); isPicture && len(data) <= blob.MostImage {
		return blob.Image
	}
	return filetext.KindOf(data)
}

// picture shows a picture as what its bytes are, since hosts refuse one that is declared to be another.
func (r *blobReading) picture(content *blob.Content) (*tool.Result, error) {
	picture, ok := blob.ReadPicture(content.Data)
	if !ok {
		return r.file(content.Response(r.record), nil, "It is declared to be a picture, but cannot be shown as one. "+waysOn)
	}
	if err := content.Checked(); err != nil {
		return nil, err
	}
	about := rawjson.Object{rawjson.Int("width", int64(picture.Width)), rawjson.Int("height", int64(picture.Height))}
	note := "The picture stands beside this as an image. Whoever sees none has a host that does not pass it on. " + waysOn
	if declared, _ := blob.SplitMediaType(r.reference.MediaType); declared != "" && declared != picture.MediaType {
		note = "It is declared as " + declared + ", but is " + picture.MediaType + ". " + note
	}
	result, err := r.file(content.Response(r.record), about, note)
	if err == nil {
		result.File = &tool.File{MediaType: picture.MediaType, Data: content.Data}
	}
	return result, err
}

func (r *blobReading) file(response *rs.Response, about rawjson.Object, note string) (*tool.Result, error) {
	return render.File(response, render.FileInput{
		Target: r.Target, FieldPath: r.FieldPath, Reference: r.reference, About: append(r.about(), about...), Note: note,
	})
}

// about is what the record says of the file.
func (r *blobReading) about() rawjson.Object {
	var about rawjson.Object
	if r.reference.MediaType != "" {
		about = append(about, rawjson.String("media_type", r.reference.MediaType))
	}
	if r.reference.Size >= 0 {
		about = append(about, rawjson.Int("size_bytes", r.reference.Size))
	}
	return about
}

// window is a window of the file's text, in the form of a window of a text field.
func (r *blobReading) window(ctx context.Context, content *blob.Content, kind blob.Kind) (*tool.Result, error) {
	_, declared := blob.SplitMediaType(r.reference.MediaType)
	_, sent := blob.SplitMediaType(content.ContentType)
	text, ok := filetext.Read(content.Data, kind, cmp.Or(declared["charset"], sent["charset"]))
	if !ok {
		return nil, &tool.Error{
			Code:    tool.BlobNotText,
			Message: fmt.Sprintf("the file is declared as %s, but its bytes are no text; save it with %s", r.reference.MediaType, r.reference.Command()),
		}
	}
	selector := filetext.Selector{Offset: r.OffsetChars, Limit: r.LimitChars, Before: r.BeforeChars, After: r.AfterChars}
	if r.Cursor != nil {
		offset, _ := strconv.ParseInt(*r.Cursor, 10, 64) // the gate refuses any other
		selector.Offset = &offset
	}
	if r.Q != nil {
		selector.Match = *r.Q
	}
	whole := content.Told(text.Bytes)
	window, found := selector.Select(whole)
	if !found {
		return nil, r.unmatched()
	}
	field := append(append(rawjson.Object{rawjson.String("path", r.FieldPath)}, r.about()...), rawjson.String("charset", text.Charset))
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
			behind, _ := filetext.Selector{Offset: &offset, Limit: &limit}.Select(whole) // false only without a match
			return behind.Members()
		},
	})
}

// unmatched is the refusal of words that do not occur, as the resource server would have it.
func (r *blobReading) unmatched() *rs.Error {
	message := fmt.Sprintf("q was not found in the file of field %q", r.FieldPath)
	envelope := rawjson.Object{rawjson.String("type", "not_found_error"), rawjson.String("code", notOccurs), rawjson.String("message", message)}
	return &rs.Error{
		Status: http.StatusNotFound, Type: "not_found_error", Code: notOccurs, Message: message, Envelope: envelope.Encode(),
		RequestID: r.record.RequestID, URL: r.refused.URL,
	}
}
