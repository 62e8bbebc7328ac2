package operation

import (
	"context"
	"errors"
	"fmt"

	"github.com/pdppmcp/pdpp-mcp/runtime/blob"
	"github.com/pdppmcp/pdpp-mcp/runtime/blob/filetext"
	"github.com/pdppmcp/pdpp-mcp/runtime/document"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// show returns what a model can see of the file. The bytes decide whether it is a document (R-DOC-1).
func (r *fileField) show(ctx context.Context) (*tool.Result, error) {
	const notAsText = "A file of this kind cannot be shown as text."
	kind, note := blob.KindOf(r.reference.MediaType), notAsText
	limit := int64(blob.MaxText)
	switch kind {
	case blob.Recording:
		return r.file(r.record, nil, note)
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
	response, declared := content.Response(r.record), r.declaredFormat()
	switch {
	case declared != "" && len(content.Data) == 0:
		return r.unreadable(response, declared, &document.Error{Reason: document.NoText, Detail: "the file is empty"})
	case kind.IsText():
		return r.fileText(ctx, content, kind)
	case kind == blob.Image:
		return r.picture(content)
	case declared != "":
		detail := fmt.Sprintf("its bytes are not those of a file of the format %s", declared)
		return r.unreadable(response, declared, &document.Error{Reason: document.Damaged, Detail: detail})
	}
	return r.file(response, nil, note)
}

// declaredFormat returns the document format that the record declares, or an empty one.
func (r *fileField) declaredFormat() document.Format {
	mediaType, _ := blob.SplitMediaType(r.reference.MediaType)
	return document.Declared(mediaType, r.reference.Name)
}

func (r *fileField) tooLarge(limit int64) (*tool.Result, error) {
	note := fmt.Sprintf("the file has more than %d bytes", limit)
	if format := r.declaredFormat(); format != "" {
		return r.unreadable(r.record, format, &document.Error{Reason: document.TooLarge, Detail: note})
	}
	return r.file(r.record, nil, "It is not shown: "+note+".")
}

// picture shows a picture with the media type of its bytes. Hosts refuse a picture with a wrong media type.
func (r *fileField) picture(content *blob.Content) (*tool.Result, error) {
	picture, ok := blob.ReadPicture(content.Data)
	if !ok {
		return r.file(content.Response(r.record), nil, "It is declared as a picture, but cannot be shown as one.")
	}
	if err := content.Checked(); err != nil {
		return nil, err
	}
	note := "The picture follows as an image. If it is missing, the host does not support images."
	if declared, _ := blob.SplitMediaType(r.reference.MediaType); declared != "" && declared != picture.MediaType {
		note = "It is declared as " + declared + ", but is " + picture.MediaType + ". " + note
	}
	result, err := r.file(content.Response(r.record), picture.About(), note)
	if err == nil {
		result.File = &tool.File{MediaType: picture.MediaType, Data: content.Data}
	}
	return result, err
}
