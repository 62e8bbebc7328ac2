// Package blob reads the files that records refer to: the references, and the bytes, whole and checked. Package
// filetext makes text of them.
package blob

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
)

// Reference is the description of a blob in a record, as the resource server sent it. It is not checked.
type Reference struct {
	ID        string
	Name      string // of the file; empty: unknown, or too long for a result
	MediaType string // with its parameters, as it was sent; empty: unknown
	Size      int64  // bytes; -1: unknown
	// SHA-256 that the record states, in lower-case hexadecimal; empty: unknown. The id may contain another one
	Digest string
}

// The members of a reference (docs/provider-contract.md, Blobs).
const (
	idMember    = "blob_id"
	nameMember  = "filename"
	mediaMember = "mime_type"
	sizeMember  = "size_bytes"
)

// maxText limits each text of a reference that a result repeats, in bytes.
const maxText = 200

// ParseReference is false unless the value is an object with a valid id of a blob and its media type, size, digest or
// address.
func ParseReference(value json.RawMessage) (Reference, bool) {
	if !MayRefer(value) {
		return Reference{}, false
	}
	members, isObject := rawjson.ParseObject(value)
	if !isObject {
		return Reference{}, false
	}
	reference := Reference{ID: members.Text(idMember), MediaType: strings.TrimSpace(members.Text(mediaMember)), Size: -1}
	if len(reference.MediaType) > maxText || !rawjson.IsPrintableASCII([]byte(reference.MediaType)) {
		reference.MediaType = ""
	}
	if name := members.Text(nameMember); len(name) <= maxText {
		reference.Name = name
	}
	size, hasSize := members.Int(sizeMember)
	if hasSize && size >= 0 {
		reference.Size = size
	}
	if isDigest(members.Text("sha256")) {
		reference.Digest = strings.ToLower(members.Text("sha256"))
	}
	isReference := reference.MediaType != "" || hasSize || reference.Digest != "" || DigestIn(reference.ID) != "" ||
		members.Get("fetch_url") != nil
	return reference, isReference && len(reference.ID) <= maxText && recordid.CheckName("blob id", reference.ID) == nil
}

// MayRefer reports whether a value may be or contain a reference. It does not parse the value.
func MayRefer(value json.RawMessage) bool {
	return len(value) > 0 && (value[0] == '{' || value[0] == '[') && bytes.Contains(value, []byte(`"`+idMember+`"`))
}

func isDigest(text string) bool {
	sum, err := hex.DecodeString(text)
	return err == nil && len(sum) == sha256.Size
}

// DigestIn returns the SHA-256 in an id, in lower-case hexadecimal, or nothing for another id.
func DigestIn(id string) string {
	digest, hasDigest := strings.CutPrefix(id, "blob_sha256_")
	if !hasDigest || !isDigest(digest) || digest != strings.ToLower(digest) {
		return ""
	}
	return digest
}

// Members returns the members that a result shows. A digest that is in the id is not repeated (R-BLOB-1).
func (r Reference) Members() rawjson.Object {
	members := rawjson.Texts(idMember, r.ID, nameMember, r.Name, mediaMember, r.MediaType)
	if r.Size >= 0 {
		members = append(members, rawjson.Int(sizeMember, r.Size))
	}
	if DigestIn(r.ID) != "" {
		return members
	}
	return append(members, rawjson.Texts("sha256", r.Digest)...)
}

// String returns the media type, size and name, such as blob(text/csv 542 bytes) or blob(text/csv 542 bytes,
// report.csv).
func (r Reference) String() string {
	size := "of unknown size"
	if r.Size >= 0 {
		size = fmt.Sprintf("%d bytes", r.Size)
	}
	if r.MediaType != "" {
		size = r.MediaType + " " + size
	}
	if r.Name != "" {
		size += ", " + r.Name
	}
	return "blob(" + size + ")"
}

// Command returns the command line that saves the blob (R-BLOB-3). It names the connection, if it is known, because
// several may be granted.
func (r Reference) Command(connectionID *string) string {
	line := "pdpp-mcp blob " + commandline.Word(r.ID)
	if connectionID != nil {
		line += " --connection-id " + commandline.Word(*connectionID)
	}
	return line + " -o file"
}
