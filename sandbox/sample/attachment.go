package sample

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// dot is a picture of one red pixel.
const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="

// enclosure is the content of an attachment.
type enclosure struct {
	extension   string
	contentType string
	bytes       []byte
}

// enclosures makes one content of each kind. The first looks like a PDF to programs that read only
// the first line.
func enclosures(r *rand.Rand, title string) []enclosure {
	picture, err := base64.StdEncoding.DecodeString(dot)
	if err != nil {
		panic(fmt.Errorf("decode sample picture: %w", err))
	}
	return []enclosure{
		{"pdf", "application/pdf", []byte("%PDF-1.4 invented invoice for " + title + "\n" + words(r, 200) + "\n%%EOF\n")},
		{"png", "image/png", append(picture, title...)},
		{"txt", "text/plain; charset=utf-8", []byte("Notes for " + title + "\n\nZürich – 東京 – Αθήνα\n" + words(r, 60) + "\n")},
		{"csv", "text/csv", []byte("item,amount\n" + strings.ReplaceAll(words(r, 20), " ", ",1\n") + ",1\n")},
	}
}

// attach makes the nth attachment (from 2, as mail parts count) of a message. Only hydrated ones
// come with a blob.
func attach(connectionID string, m message, part int, content enclosure, hydrated bool) (attachment, []catalog.Blob) {
	index := strconv.Itoa(part)
	filename := fmt.Sprintf("file-%s-%s.%s", strings.TrimLeft(m.ID[strings.LastIndexByte(m.ID, '-')+1:], "0"), index, content.extension)
	size := len(content.bytes)
	a := attachment{
		ID:                m.ID + ":" + index,
		MessageID:         m.ID,
		Filename:          &filename,
		ContentType:       content.contentType,
		SizeBytes:         &size,
		Encoding:          "base64",
		PartIndex:         index,
		MessageReceivedAt: m.ReceivedAt,
		HydrationStatus:   "deferred",
	}
	if !hydrated {
		return a, nil
	}
	sum := sha256.Sum256(content.bytes)
	digest := hex.EncodeToString(sum[:])
	id := "blob_sha256_" + digest
	a.BlobRef = &blobRef{BlobID: id, MimeType: content.contentType, SizeBytes: size, SHA256: digest, FetchURL: "/v1/blobs/" + id}
	a.ContentSHA256 = &digest
	a.HydrationStatus = "hydrated"
	return a, []catalog.Blob{{ID: id, ConnectionID: connectionID, ContentType: content.contentType, Bytes: content.bytes}}
}
