package filetext

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"strings"

	"golang.org/x/net/html/charset"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/blob"
)

// Limits of a mail. The text says what is left out.
const (
	maxParts     = 200
	maxNesting   = 8        // nested multiparts and mails
	maxTextBytes = 32 << 20 // bytes of text
)

// shownHeaders are the headers that are part of the text.
var shownHeaders = []string{"From", "Sender", "Reply-To", "To", "Cc", "Date", "Subject"}

// readMail returns the main headers of each message, and each part below a line that names it. Text parts are decoded. Of other parts, the
// size is shown. Bytes that are not a mail are plain text.
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
	read, err := mail.ReadMessage(bytes.NewReader(data))
	if err != nil || len(read.Header) == 0 {
		return false
	}
	for _, name := range shownHeaders {
		for _, value := range read.Header[textproto.CanonicalMIMEHeaderKey(name)] {
			fmt.Fprintf(&m.out, "%s: %s\n", name, decodedHeader(value))
		}
	}
	m.part(textproto.MIMEHeader(read.Header), read.Body, depth)
	return true
}

// decodedHeader returns the value of a header on one line, with its encoded words (RFC 2047) decoded.
func decodedHeader(value string) string {
	decoder := &mime.WordDecoder{CharsetReader: charsetReader}
	if decoded, err := decoder.DecodeHeader(value); err == nil {
		value = decoded
	}
	return oneLine(value)
}

// charsetReader refuses charsets that WHATWG replaces by a single U+FFFD, such as iso-2022-kr. The encoded word stays as it is.
func charsetReader(label string, input io.Reader) (io.Reader, error) {
	if lookUp(label) == "" {
		return nil, errCharset
	}
	return charset.NewReaderLabel(label, input)
}

var errCharset = errors.New("no such charset")

func (m *mailText) part(header textproto.MIMEHeader, body io.Reader, depth int) {
	name, parameters := blob.SplitMediaType(header.Get("Content-Type"))
	name = cmp.Or(name, "text/plain") // RFC 2045, section 5.2
	if strings.HasPrefix(name, "multipart/") && parameters["boundary"] != "" && depth < maxNesting {
		m.multipart(multipart.NewReader(body, parameters["boundary"]), depth+1)
		return
	}
	if m.parts++; m.parts > maxParts {
		return
	}
	content, isBroken := decodedBody(body, header.Get("Content-Transfer-Encoding"))
	_, disposition, _ := mime.ParseMediaType(header.Get("Content-Disposition"))
	m.heading(name, decodedHeader(cmp.Or(disposition["filename"], parameters["name"])), content, isBroken)
	kind := blob.KindOf(name)
	if kind == blob.Mail && depth < maxNesting && m.message(content, depth+1) {
		return
	}
	if !kind.IsText() {
		m.out.WriteString("(not shown)\n")
		return
	}
	if kind == blob.Mail {
		kind = blob.Plain
	}
	text, ok := Read(content, kind, parameters["charset"])
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
func (m *mailText) heading(name, file string, content []byte, isBroken bool) {
	m.breakLine()
	if file != "" {
		file = fmt.Sprintf(" %q", file)
	}
	end := ""
	if isBroken {
		end = ", broken off"
	}
	fmt.Fprintf(&m.out, "\n--- part %d: %s%s, %d bytes%s ---\n", m.parts, oneLine(name), file, len(content), end)
}

func (m *mailText) breakLine() {
	if !bytes.HasSuffix(m.out.Bytes(), []byte("\n")) {
		m.out.WriteByte('\n')
	}
}

// multipart reads the parts of a multipart. The text says if the multipart is cut off.
func (m *mailText) multipart(parts *multipart.Reader, depth int) {
	for {
		part, err := parts.NextRawPart()
		switch {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			m.breakLine()
			m.out.WriteString("--- the mail breaks off here ---\n")
			return
		case m.parts >= maxParts:
			m.breakLine()
			fmt.Fprintf(&m.out, "--- more than %d parts: the others are left out ---\n", maxParts)
			m.parts = maxParts + 1
			return
		}
		m.part(part.Header, part, depth)
	}
}

// decodedBody decodes the transfer encoding of a body. It reports whether decoding failed. The content ends at the failure.
func decodedBody(body io.Reader, encoding string) (content []byte, isBroken bool) {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	}
	content, err := io.ReadAll(body)
	return content, err != nil
}

// oneLine returns a text with control characters and white space as single spaces.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f }), " ")
}
