package filetext

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/blob"
)

// Limits of a mail. The text says what is left out.
const (
	maxParts     = 200
	maxNesting   = 8        // nested multiparts and mails
	maxTextBytes = 32 << 20 // bytes of text
)

// readMail returns the main headers of each message, and each part below a line that names it. Text parts are decoded.
// Of other parts, the size is shown. Bytes that are not a mail are plain text.
func readMail(data []byte) (Text, bool) {
	m := &mailText{}
	if !m.message(data, 0) {
		text := decode(data, "", false)
		return text, isText(text.Bytes)
	}
	return Text{Bytes: bytes.ToValidUTF8(m.out.Bytes(), []byte("\ufffd")), Charset: utf8Name, Repaired: m.repaired}, true
}

type mailText struct {
	out      bytes.Buffer
	parts    int
	repaired bool
}

// message reads a message. It is false for bytes without a header.
func (m *mailText) message(data []byte, depth int) bool {
	fields, body, isMail := splitHeader(data, false)
	if !isMail {
		return false
	}
	for _, name := range shownHeaders {
		for _, value := range fields[strings.ToLower(name)] {
			fmt.Fprintf(&m.out, "%s: %s\n", name, decodedHeader(value))
		}
	}
	m.part(fields, body, depth)
	return true
}

func (m *mailText) part(fields header, body []byte, depth int) {
	name, parameters := blob.SplitMediaType(fields.get(contentType))
	if strings.HasPrefix(name, "multipart/") && depth < maxNesting {
		if parts, isClosed := splitParts(body, parameters["boundary"]); len(parts) > 0 {
			m.multipart(parts, isClosed, depth+1)
			return
		}
		name = "" // it has no parts, but can have text
	}
	name = cmp.Or(name, "text/plain") // RFC 2045, section 5.2
	decoded, isBroken := decodedBody(body, fields.get(transferEncoding))
	_, attached := blob.SplitMediaType(fields.get(disposition))
	file := decodedHeader(cmp.Or(attached["filename"], parameters["name"]))
	m.content(content{name, file, parameters["charset"], decoded, isBroken}, depth)
}

// content is the decoded content of a part.
type content struct {
	mediaType, file, charset string
	data                     []byte
	isBroken                 bool // its end is missing or invalid
}

func (m *mailText) content(c content, depth int) {
	if m.parts++; m.parts > maxParts {
		return
	}
	m.heading(c)
	kind := blob.KindOf(c.mediaType)
	if kind == blob.Mail && depth < maxNesting && m.message(c.data, depth+1) {
		return
	}
	if isTNEF(c.data) && depth < maxNesting {
		m.attachments(c.data, depth+1)
		return
	}
	if !kind.IsText() {
		m.out.WriteString("(not shown)\n")
		return
	}
	if kind == blob.Mail {
		kind = blob.Plain
	}
	text, ok := Read(c.data, kind, c.charset)
	switch {
	case !ok:
		m.out.WriteString("(not text, and not shown)\n")
	case m.out.Len()+len(text.Bytes) > maxTextBytes:
		m.out.WriteString("(too long, and not shown)\n")
	default:
		m.repaired = m.repaired || text.Repaired
		m.out.Write(bytes.ReplaceAll(text.Bytes, []byte("\r\n"), []byte("\n")))
		m.breakLine()
	}
}

// heading writes the line of a part, such as --- part 2: image/png "chart.png", 73 bytes ---.
func (m *mailText) heading(c content) {
	m.breakLine()
	file, end := "", ""
	if c.file != "" {
		file = fmt.Sprintf(" %q", c.file)
	}
	if c.isBroken {
		end = ", broken off"
	}
	fmt.Fprintf(&m.out, "\n--- part %d: %s%s, %d bytes%s ---\n", m.parts, oneLine(c.mediaType), file, len(c.data), end)
}

func (m *mailText) breakLine() {
	if !bytes.HasSuffix(m.out.Bytes(), []byte("\n")) {
		m.out.WriteByte('\n')
	}
}

// multipart reads the parts of a multipart. The text says if the multipart is cut off.
func (m *mailText) multipart(parts [][]byte, isClosed bool, depth int) {
	for _, part := range parts {
		if m.parts >= maxParts {
			m.breakLine()
			fmt.Fprintf(&m.out, "--- more than %d parts: the others are left out ---\n", maxParts)
			m.parts = maxParts + 1
			return
		}
		fields, body, _ := splitHeader(part, true)
		m.part(fields, body, depth)
	}
	if !isClosed {
		m.breakLine()
		m.out.WriteString("--- the mail breaks off here ---\n")
	}
}

// firstBoundary is the first line that can be a boundary.
var firstBoundary = regexp.MustCompile(`(?m)^--([^\s-].*?)[ \t\r]*$`)

// splitParts returns the parts of a multipart, and reports whether its last boundary is there. If the boundary is
// unknown, it is the first line that can be one.
func splitParts(body []byte, boundary string) (parts [][]byte, isClosed bool) {
	if first := firstBoundary.FindSubmatch(body); boundary == "" && first != nil {
		boundary = string(first[1])
	} else if boundary == "" {
		return nil, false
	}
	delimiter := []byte("--" + boundary)
	start := -1 // of the open part
	for lineStart := 0; lineStart < len(body) && len(parts) <= maxParts; {
		end := len(body)
		if i := bytes.IndexByte(body[lineStart:], '\n'); i >= 0 {
			end = lineStart + i + 1
		}
		if after, found := bytes.CutPrefix(body[lineStart:end], delimiter); found {
			after, isLast := bytes.CutPrefix(after, []byte("--"))
			if len(bytes.TrimSpace(after)) == 0 {
				if start >= 0 {
					part := bytes.TrimSuffix(body[start:lineStart], []byte("\n")) // the line break belongs to the boundary
					parts = append(parts, bytes.TrimSuffix(part, []byte("\r")))
				}
				if start = end; isLast {
					return parts, true
				}
			}
		}
		lineStart = end
	}
	if start >= 0 && start < len(body) {
		parts = append(parts, body[start:])
	}
	return parts, false
}

// decodedBody decodes the transfer encoding of a body. It reports whether decoding failed. The content ends at the
// failure.
func decodedBody(body []byte, encoding string) (content []byte, isBroken bool) {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "base64":
		return decodeBase64(body)
	case "quoted-printable":
		return decodeQuotedPrintable(body), false
	case "uuencode", "x-uuencode", "x-uue":
		return decodeUU(body)
	}
	return body, false
}

// oneLine returns a text with control characters and white space as single spaces.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f }), " ")
}
