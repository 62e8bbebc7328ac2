package sample

import (
	"crypto/sha256"
	"embed"
	"encoding/csv"
	"encoding/hex"
	"path"
	"strconv"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// contentTypes are those of the attachments by extension.
var contentTypes = map[string]string{
	".pdf": "application/pdf", ".png": "image/png", ".csv": "text/csv", ".ics": "text/calendar; charset=utf-8",
	".vcf": "text/vcard; charset=utf-8", ".html": "text/html; charset=utf-8", ".txt": "text/plain; charset=utf-8",
	".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation", ".epub": "application/epub+zip",
}

// files are the attachments that other programs made. files/source has what they were made of.
//
//go:embed files/*.*
var files embed.FS

// enclosure returns the content of an attachment: a file of files, or made of the story.
func (b mailbox) enclosure(name string) []byte {
	if content, err := files.ReadFile("files/" + name); err == nil {
		return content
	}
	for _, p := range b.story.pieces("attachments") {
		if p.head[0] != name {
			continue
		}
		text := b.bank.fillIn(p.text) + "\n"
		switch path.Ext(name) {
		case ".pdf":
			return pdf(strings.Split(strings.TrimSpace(text), "\n"))
		case ".docx":
			return wordDocument(strings.Split(strings.TrimSpace(text), "\n"))
		case ".xlsx":
			return workbook(must(csv.NewReader(strings.NewReader(text)).ReadAll()))
		case ".png":
			return picture(text)
		case ".ics", ".vcf": // RFC 5545 and RFC 6350 end lines so
			return []byte(strings.ReplaceAll(text, "\n", "\r\n"))
		}
		return []byte(text)
	}
	panic("sample story: no attachment is called " + name)
}

// attach makes an attachment of a message from its part (2 and up) and its name. A name that ends with "deferred" has
// no blob, because its content was not fetched.
func (b mailbox) attach(m message, part int, named string) (attachment, []catalog.Blob) {
	name, deferred := strings.CutSuffix(named, " deferred")
	content, index := b.enclosure(name), strconv.Itoa(part)
	contentType, size := contentTypes[path.Ext(name)], len(content)
	a := attachment{
		ID: m.ID + ":" + index, MessageID: m.ID, Filename: &name, ContentType: contentType, SizeBytes: &size,
		Encoding: "base64", PartIndex: index, MessageReceivedAt: m.ReceivedAt, HydrationStatus: "deferred",
	}
	if deferred {
		return a, nil
	}
	sum := sha256.Sum256(content)
	digest := hex.EncodeToString(sum[:])
	id := "blob_sha256_" + digest
	a.BlobRef = &blobRef{BlobID: id, MimeType: contentType, SizeBytes: size, SHA256: digest, FetchURL: "/v1/blobs/" + id}
	a.ContentSHA256 = &digest
	a.HydrationStatus = "hydrated"
	return a, []catalog.Blob{{ID: id, ConnectionID: b.connectionID, ContentType: contentType, Bytes: content}}
}
