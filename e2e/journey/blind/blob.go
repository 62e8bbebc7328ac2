package blind

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Picture is the description and the bytes of a picture in a result.
type Picture struct {
	MediaType string
	Size      int    // bytes
	Digest    string // SHA-256 in hexadecimal
}

var errNoPicture = errors.New("no picture of the width and the height that the text says")

// Picture looks at the picture in a field of a row, by the call that the row shows. Both channels show the same of it.
func (r *Reader) Picture(ctx context.Context, row Row, field string) (Picture, error) {
	call, shown := row.reads(field)
	if !shown {
		return Picture{}, puzzled(Call{}, fmt.Sprint(row), "call that reads "+field, nil)
	}
	return look(ctx, r, call, readPicture)
}

// Page sees a page of a file that has no text.
func (r *Reader) Page(ctx context.Context, arguments Arguments) (Picture, error) {
	return look(ctx, r, arguments.call("read_record_field"), readPicture)
}

func readPicture(seen string) (Picture, error) {
	words, image, found := strings.Cut(seen, "\npicture ")
	about, _, _ := strings.Cut(words, "\n")
	for _, name := range []string{"width", "height"} {
		said, _ := find(about, name)
		is, isShown := find(image, name)
		found = found && isShown && said == is
	}
	if !found {
		return Picture{}, errNoPicture
	}
	mediaType, _ := find(about, "media_type")
	size, _ := find(about, "size_bytes")
	digest, _ := find(image, "sha256")
	return Picture{MediaType: mediaType, Size: whole(size), Digest: digest}, nil
}

// BlobNamed returns the value of a field as results show it: a reference to a blob has its kind and its size in the
// place of its members (R-BLOB-1), and any other value is as it was sent.
func BlobNamed(sent json.RawMessage) json.RawMessage {
	var blob struct {
		ID        string `json:"blob_id"`
		MediaType string `json:"mime_type"`
		Size      int    `json:"size_bytes"`
	}
	if json.Unmarshal(sent, &blob) != nil || blob.ID == "" {
		return sent
	}
	return json.RawMessage(strconv.Quote(fmt.Sprintf("blob(%s %d bytes)", blob.MediaType, blob.Size)))
}
