package operation

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/blob"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// FieldWindowInput has the arguments of a call for a window of a field. A nil member was not given.
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

// unknownFieldCodes are the codes with which servers refuse a path inside a field, whatever its value is (098b).
var unknownFieldCodes = []string{"field_not_granted", "field_not_found", "unknown_field", "invalid_field_path"}

// FieldWindow shows a window of a text field, or of the file to which the field refers.
func FieldWindow(ctx context.Context, env tool.Env, request rs.Request, input FieldWindowInput) (*tool.Result, error) {
	response, err := env.Get(ctx, request)
	if err != nil {
		return blobField(ctx, env, err, input)
	}
	return render.FieldWindow(ctx, env, response, render.FieldWindowInput{Call: input.Call, Target: input.Target, FieldPath: input.FieldPath})
}

// blobField shows the file of a field that is not text (R-BLOB-2, R-BLOB-3): a window of its text, a picture, or what it is and how to
// get it. It returns the refusal if the field refers to no file.
func blobField(ctx context.Context, env tool.Env, refused error, input FieldWindowInput) (*tool.Result, error) {
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
	fields, target, err := render.Fields(response, input.Target)
	if err != nil {
		return nil, err
	}
	references := blob.References(fields, input.FieldPath)
	if len(references) == 0 {
		return nil, refused
	}
	input.Target = target
	file := &fileField{FieldWindowInput: input, opener: opener, record: response, reference: references[0], refused: refusal}
	if env.WantsFile {
		return file.wholeFile(ctx)
	}
	return file.show(ctx)
}

// recordRequest reads only the field of the record. It reads all fields if the name has a comma.
func (i FieldWindowInput) recordRequest() rs.Request {
	request := i.request("v1", "streams", i.Target.Stream, "records", i.Target.RecordID)
	if field, _, _ := strings.Cut(i.FieldPath, "."); !strings.Contains(field, ",") {
		request.Query.String("fields", &field)
	}
	return request
}

func (i FieldWindowInput) request(path ...string) rs.Request {
	var query rs.Query
	query.String("connection_id", i.Target.ConnectionID)
	return rs.Request{
		Path: rs.JoinPath(path...), Query: query,
		Sources: rs.OneSource{Stream: i.Target.Stream, ConnectionID: i.Target.ConnectionID},
	}
}

type fileField struct {
	FieldWindowInput
	opener    rs.Opener
	record    *rs.Response
	reference blob.Reference
	refused   *rs.Error // the refusal of a window of the field
}

func (r *fileField) read(ctx context.Context, limit int64) (content *blob.Content, release func(), err error) {
	return blob.Read(ctx, r.opener, r.request("v1", "blobs", r.reference.ID), r.reference, limit)
}

// wholeFile returns the file itself, for a host that reads it as a resource (R-BLOB-4).
func (r *fileField) wholeFile(ctx context.Context) (*tool.Result, error) {
	content, release, err := r.read(ctx, blob.MaxResource)
	defer release()
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

func (r *fileField) file(response *rs.Response, about rawjson.Object, note string) (*tool.Result, error) {
	return render.File(response, r.described(about, note))
}

// described returns the description of the file, with members about its bytes.
func (r *fileField) described(about rawjson.Object, note string) render.FileInput {
	declared := rawjson.Texts("media_type", r.reference.MediaType)
	if r.reference.Size >= 0 {
		declared = append(declared, rawjson.Int("size_bytes", r.reference.Size))
	}
	return render.FileInput{Target: r.Target, FieldPath: r.FieldPath, Reference: r.reference, About: append(declared, about...), Note: note}
}
