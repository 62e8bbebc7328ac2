package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/blob"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/filetext"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// fieldNotText is the code of the resource server's refusal of a window (docs/provider-contract.md, Field windows).
const fieldNotText = "field_not_text"

// unknownFieldCodes are the codes with which servers refuse a path inside a field, whatever its value is (098b).
var unknownFieldCodes = []string{"field_not_granted", "field_not_found", "unknown_field", "invalid_field_path"}

// fileOf reads the file of a field that is not text (R-BLOB-2, R-BLOB-3): a window of its text, a picture, or what it
// is and how to get it. It returns the refusal if the field refers to no file.
func fileOf(ctx context.Context, env tool.Env, refused error, input FieldWindowInput) (*answer.Window, error) {
	var refusal *rs.Error
	opener, canOpen := env.RS.(rs.Opener)
	if !canOpen || !errors.As(refused, &refusal) ||
		refusal.Code != fieldNotText && !(strings.Contains(input.FieldPath, ".") && slices.Contains(unknownFieldCodes, refusal.Code)) {
		return nil, refused
	}
	response, err := env.RS.Get(ctx, input.recordRequest())
	if err != nil {
		return nil, err
	}
	fields, target, err := Fields(response, input.Target)
	if err != nil {
		return nil, err
	}
	references := blob.References(fields, input.FieldPath)
	if len(references) == 0 {
		return nil, refused
	}
	input.Target = target
	file := &fileField{FieldWindowInput: input, opener: opener, caller: env.Caller, record: response, reference: references[0]}
	if env.WantsFile {
		return file.wholeFile(ctx)
	}
	return file.show(ctx)
}

// recordRequest reads only the field of the record. It reads all fields if the name has a comma.
func (i FieldWindowInput) recordRequest() rs.Request {
	request := i.request("v1", wire.Streams, i.Target.Stream, "records", i.Target.RecordID)
	if field, _, _ := strings.Cut(i.FieldPath, "."); !strings.Contains(field, ",") {
		request.Query.String(wire.Fields, &field)
	}
	return request
}

func (i FieldWindowInput) request(path ...string) rs.Request {
	var query rs.Query
	query.String(wire.ConnectionID, i.Target.ConnectionID)
	return rs.Request{
		Path: rs.JoinPath(path...), Query: query,
		Sources: rs.OneSource{Stream: i.Target.Stream, ConnectionID: i.Target.ConnectionID},
	}
}

type fileField struct {
	FieldWindowInput
	opener    rs.Opener
	caller    string
	record    *rs.Response
	reference blob.Reference
}

func (r *fileField) read(ctx context.Context, limit int64) (content *blob.Content, release func(), err error) {
	return blob.Read(ctx, r.opener, r.caller, r.request("v1", "blobs", r.reference.ID), r.reference, limit)
}

// wholeFile returns the file itself, for a host that reads it as a resource (R-BLOB-4).
func (r *fileField) wholeFile(ctx context.Context) (*answer.Window, error) {
	content, release, err := r.read(ctx, blob.MaxResource)
	defer release()
	if err != nil {
		return nil, err
	}
	return r.attached(content, cmp.Or(r.reference.MediaType, content.ContentType), nil, "This is the whole file.")
}

func (r *fileField) attached(content *blob.Content, mediaType string, about rawjson.Object, note string) (*answer.Window, error) {
	if err := content.Checked(); err != nil {
		return nil, err
	}
	w := r.described(originOfFile(content), about, note)
	w.File.Shown = &answer.Attachment{MediaType: mediaType, Data: content.Data}
	return w, nil
}

// described returns the file without its text: what it is, and how to get it. The note says what is shown of it; it is
// empty if that is its text.
func (r *fileField) described(origin answer.Origin, about rawjson.Object, note string) *answer.Window {
	field := append(rawjson.Object{rawjson.String("path", r.FieldPath)}, rawjson.Texts("media_type", r.reference.MediaType)...)
	if r.reference.Size >= 0 {
		field = append(field, rawjson.Int("size_bytes", r.reference.Size))
	}
	file := &answer.File{Note: note, Save: r.reference.Command(r.Target.ConnectionID)}
	if r.reference.Size <= blob.MaxResource {
		handle := recordid.Handle{Stream: r.Target.Stream, RecordID: r.Target.RecordID}
		if r.Target.ConnectionID != nil {
			handle.ConnectionID = *r.Target.ConnectionID
		}
		file.Resource = recordid.FormatURI(recordid.URI{Kind: recordid.KindBlob, Record: handle, Window: recordid.FieldWindow{FieldPath: r.FieldPath}})
	}
	return &answer.Window{
		Origin: origin, Call: r.Call, Target: r.Target, FieldPath: r.FieldPath, Field: append(field, about...), File: file,
	}
}

// show returns what a model can see of the file. The bytes decide whether it is a document (R-DOC-1).
func (r *fileField) show(ctx context.Context) (*answer.Window, error) {
	kind, note := blob.KindOf(r.reference.MediaType), "A file of this kind cannot be shown as text."
	limit := int64(blob.MaxText)
	switch kind {
	case blob.Recording:
		return r.described(originOf(r.record), nil, note), nil
	case blob.Image:
		limit = blob.MaxImage
	}
	content, release, err := r.read(ctx, limit)
	defer release()
	if refused, is := errors.AsType[*tool.Error](err); is && refused.Code == tool.BlobTooLarge && !kind.IsText() {
		return r.tooLarge(limit)
	}
	if err != nil {
		return nil, err
	}
	if format := document.Sniff(content.Data); format != "" {
		return r.document(ctx, content, format)
	}
	if kind == blob.Unknown || kind == blob.Document {
		kind, note = filetext.KindOf(content.Data), "Its bytes are not text."
		if _, isPicture := blob.ReadPicture(content.Data); isPicture && len(content.Data) <= blob.MaxImage {
			kind = blob.Image
		}
	}
	origin, declared := originOfFile(content), r.declaredFormat()
	switch {
	case declared != "" && len(content.Data) == 0:
		return r.unreadable(origin, declared, document.NoText, "the file is empty")
	case kind.IsText():
		return r.fileText(content, kind)
	case kind == blob.Image:
		return r.picture(content)
	case declared != "":
		return r.unreadable(origin, declared, document.Damaged, fmt.Sprintf("its bytes are not those of a file of the format %s", declared))
	}
	return r.described(origin, nil, note), nil
}

// declaredFormat returns the document format that the record declares, or an empty one.
func (r *fileField) declaredFormat() document.Format {
	mediaType, _ := blob.SplitMediaType(r.reference.MediaType)
	return document.Declared(mediaType, r.reference.Name)
}

func (r *fileField) tooLarge(limit int64) (*answer.Window, error) {
	note := fmt.Sprintf("the file has more than %d bytes", limit)
	if format := r.declaredFormat(); format != "" {
		return r.unreadable(originOf(r.record), format, document.TooLarge, note)
	}
	return r.described(originOf(r.record), nil, "It is not shown: "+note+"."), nil
}

// picture shows a picture with the media type of its bytes. Hosts refuse a picture with a wrong media type.
func (r *fileField) picture(content *blob.Content) (*answer.Window, error) {
	picture, ok := blob.ReadPicture(content.Data)
	if !ok {
		return r.described(originOfFile(content), nil, "It is declared as a picture, but cannot be shown as one."), nil
	}
	note := "The picture follows as an image. If it is missing, the host does not support images."
	if declared, _ := blob.SplitMediaType(r.reference.MediaType); declared != "" && declared != picture.MediaType {
		note = "It is declared as " + declared + ", but is " + picture.MediaType + ". " + note
	}
	return r.attached(content, picture.MediaType, picture.About(), note)
}
