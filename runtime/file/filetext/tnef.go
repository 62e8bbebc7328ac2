package filetext

import (
	"bytes"
	"encoding/binary"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/blob"
)

// tnefSignature begins a file winmail.dat, in which Outlook packs the attachments of a mail (MS-OXTNEF).
const tnefSignature = 0x223e9f78

// Attributes of winmail.dat.
const (
	attachmentStart = 0x00069002
	attachmentTitle = 0x00018010
	attachmentData  = 0x0006800f
)

type attachment struct {
	name    string
	content []byte
}

// readTNEF returns the attachments in a file winmail.dat. It reports whether the file is broken. Its copy of the text
// of the mail is not read.
func readTNEF(data []byte) (found []attachment, isBroken bool) {
	const start, header, checksum = 6, 9, 2 // bytes
	for data = data[min(start, len(data)):]; len(data) >= header; {
		id, size := binary.LittleEndian.Uint32(data[1:]), int64(binary.LittleEndian.Uint32(data[5:]))
		if size > int64(len(data)-header) {
			return found, true
		}
		value := data[header : header+size]
		data = data[min(header+int(size)+checksum, len(data)):]
		last := len(found) - 1
		switch {
		case id == attachmentStart && last < maxParts:
			found = append(found, attachment{})
		case id == attachmentTitle && last >= 0:
			found[last].name = string(decode(bytes.TrimRight(value, "\x00"), "", false).Bytes)
		case id == attachmentData && last >= 0:
			found[last].content = value
		}
	}
	return found, len(data) > 0
}

func isTNEF(data []byte) bool {
	return len(data) >= 4 && binary.LittleEndian.Uint32(data) == tnefSignature
}

// attachments writes the attachments in a file winmail.dat.
func (m *mailText) attachments(data []byte, depth int) {
	found, isBroken := readTNEF(data)
	for _, each := range found {
		name := "application/octet-stream"
		switch KindOf(each.content) {
		case blob.HTML:
			name = "text/html"
		case blob.Plain:
			name = "text/plain"
		}
		m.content(content{name, each.name, "", each.content, false}, depth)
	}
	if isBroken {
		m.out.WriteString("--- winmail.dat breaks off here ---\n")
	}
}
