package filetext

import (
	"bytes"
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
)

// header has the fields of a message or a part that are read, by their names in lower case.
type header map[string][]string

// get returns the first value of a field, or nothing.
func (h header) get(name string) string {
	if values := h[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// shownHeaders are the fields that are part of the text.
var shownHeaders = []string{"From", "Sender", "Reply-To", "To", "Cc", "Date", "Subject"}

// readFields are the fields that a header keeps.
var readFields = append(strings.Fields(strings.ToLower(strings.Join(shownHeaders, " "))), contentType,
	transferEncoding, disposition)

const (
	contentType      = "content-type"
	transferEncoding = "content-transfer-encoding"
	disposition      = "content-disposition"

	maxValues = 50 // of one field
)

// mailFields are the names of fields that only mails and their parts have, in addition to those that begin with
// content- and x-.
var mailFields = strings.Fields(
	"from sender reply-to to cc bcc date subject received return-path delivered-to message-id in-reply-to references " +
		"mime-version")

func isMailField(name string) bool {
	return strings.HasPrefix(name, "content-") || strings.HasPrefix(name, "x-") || slices.Contains(mailFields, name)
}

// maxFieldName bounds the name of a field.
const maxFieldName = 200

// splitField divides a line that begins a field (RFC 5322, section 2.2). The name is in lower case.
func splitField(line []byte) (name string, value []byte, isField bool) {
	before, value, hasColon := bytes.Cut(line[:min(len(line), maxFieldName)], []byte(":"))
	before = bytes.TrimRight(before, " \t")
	isOdd := func(r rune) bool { return r <= ' ' || r > '~' }
	if !hasColon || len(before) == 0 || bytes.IndexFunc(before, isOdd) >= 0 {
		return "", nil, false
	}
	return strings.ToLower(string(before)), line[len(line[:min(len(line), maxFieldName)])-len(value):], true
}

// splitHeader returns the header of a message or a part, and its body. It is false for a message without a field of
// mails. Blank lines and a banner before the header are skipped, and so are lines in it that are not fields. If no
// field follows such a line, the empty line before the body is missing.
func splitHeader(data []byte, isPart bool) (fields header, body []byte, isMail bool) {
	start := 0
	if !isPart {
		start = headerStart(data)
	}
	last, count := lastField(data[start:])
	if !isPart && (count == 0 || count == 1 && len(bytes.TrimSpace(data[:start])) > 0) {
		return nil, nil, false
	}
	last += start
	fields = header{}
	name := ""
	var value []byte
	end := func() {
		if slices.Contains(readFields, name) && len(fields[name]) < maxValues {
			fields[name] = append(fields[name], string(value))
		}
		name, value = "", nil
	}
	rest := data[start:]
	for len(rest) > 0 {
		line, after, _ := bytes.Cut(rest, []byte("\n"))
		line = bytes.TrimSuffix(line, []byte("\r"))
		if len(line) == 0 {
			rest = after
			break
		}
		fieldName, content, isField := splitField(line)
		isParameter := bytes.HasSuffix(bytes.TrimSpace(value), []byte(";")) && bytes.Contains(line, []byte("="))
		switch {
		case line[0] == ' ' || line[0] == '\t', isParameter && (!isField || strings.Contains(fieldName, "=")):
			value = append(append(value, ' '), bytes.TrimSpace(line)...)
		case isField:
			end()
			name, value = fieldName, append(value, bytes.TrimSpace(content)...)
		case len(data)-len(rest) > last:
			end()
			return fields, rest, true
		default:
			end()
		}
		rest = after
	}
	end()
	return fields, rest, true
}

// maxBanner bounds the lines of a banner, such as the one of mbox files or of a mail program.
const maxBanner = 2

// headerStart returns where the header begins after blank lines and a banner.
func headerStart(data []byte) int {
	start := len(data) - len(bytes.TrimLeft(data, " \t\r\n"))
	offset := start
	for range maxBanner + 1 {
		line, _, _ := bytes.Cut(data[offset:], []byte("\n"))
		if _, _, isField := splitField(line); isField {
			return offset
		}
		if len(bytes.TrimSpace(line)) == 0 {
			break
		}
		offset += min(len(line)+1, len(data)-offset)
	}
	return start
}

// lastField returns where the last field before an empty line begins whose name is one of mails, and how many there
// are.
func lastField(data []byte) (last, count int) {
	offset := 0
	for line := range bytes.Lines(data) {
		if len(bytes.TrimRight(line, "\r\n")) == 0 {
			break
		}
		if name, _, isField := splitField(line); isField && isMailField(name) {
			last, count = offset, count+1
		}
		offset += len(line)
	}
	return last, count
}

// encodedWord is a word of a header in another charset (RFC 2047).
var encodedWord = regexp.MustCompile(`=\?([^?\s]+)\?([bBqQ])\?([^?]*)\?=`)

// decodedHeader returns the value of a field on one line, with its encoded words decoded. A character can be divided
// between two words.
func decodedHeader(value string) string {
	value = string(decode([]byte(value), "", false).Bytes)
	var out strings.Builder
	var pending []byte // of words of one charset
	charset := ""
	flush := func() {
		out.Write(decode(pending, charset, false).Bytes)
		pending = nil
	}
	offset, end := 0, 0
	for {
		word := encodedWord.FindStringSubmatchIndex(value[end:])
		if word == nil {
			break
		}
		for i := range word {
			word[i] += end
		}
		end = word[1]
		between := value[offset:word[0]]
		label, _, _ := strings.Cut(value[word[2]:word[3]], "*") // a language follows
		if lookUp(label) == "" {
			continue
		}
		if len(pending) == 0 || strings.TrimSpace(between) != "" || !strings.EqualFold(label, charset) {
			flush()
			if offset == 0 || strings.TrimSpace(between) != "" {
				out.WriteString(between)
			}
		}
		charset, offset = label, word[1]
		payload := []byte(value[word[6]:word[7]])
		if strings.EqualFold(value[word[4]:word[5]], "b") {
			decoded, _ := decodeBase64(payload)
			pending = append(pending, decoded...)
		} else {
			pending = append(pending, decodeQuotedPrintable(bytes.ReplaceAll(payload, []byte("_"), []byte(" ")))...)
		}
	}
	flush()
	return oneLine(out.String() + value[offset:])
}

// decodeBase64 decodes base64 up to the first other character. It reports whether there is one, or the end is missing.
func decodeBase64(text []byte) (content []byte, isBroken bool) {
	text = bytes.Join(bytes.Fields(text), nil)
	for len(text) > 0 {
		end := bytes.IndexByte(text, '=')
		if end < 0 {
			end = len(text)
		}
		segment := make([]byte, base64.RawStdEncoding.DecodedLen(end))
		n, err := base64.RawStdEncoding.Decode(segment, text[:end])
		if content = append(content, segment[:n]...); err != nil {
			return content, true
		}
		text = bytes.TrimLeft(text[end:], "=")
	}
	return content, false
}

// decodeQuotedPrintable decodes quoted-printable text. What is not encoded correctly stays as it is.
func decodeQuotedPrintable(text []byte) []byte {
	decoded := make([]byte, 0, len(text))
	for line := range bytes.Lines(text) {
		content := bytes.TrimRight(line, " \t\r\n")
		isSoft := bytes.HasSuffix(content, []byte("="))
		if isSoft {
			content = content[:len(content)-1]
		} else if !bytes.HasSuffix(line, []byte("\n")) {
			content = line
		}
		for i := 0; i < len(content); i++ {
			if high, low := hexadecimal(content, i+1), hexadecimal(content, i+2); content[i] == '=' && high >= 0 && low >= 0 {
				decoded = append(decoded, byte(high<<4|low))
				i += 2
			} else {
				decoded = append(decoded, content[i])
			}
		}
		if !isSoft && bytes.HasSuffix(line, []byte("\n")) {
			decoded = append(decoded, line[len(bytes.TrimRight(line, "\r\n")):]...)
		}
	}
	return decoded
}

// decodeUU decodes a uuencoded file: lines of a length and of characters of six bits, between a line with begin and one
// with end. It reports whether the end is missing.
func decodeUU(text []byte) (content []byte, isBroken bool) {
	isOpen := false
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, "\r\n")
		switch {
		case !isOpen:
			isOpen = bytes.HasPrefix(line, []byte("begin "))
		case string(line) == "end":
			return content, false
		case len(line) > 0:
			sixBits := func(index int) uint32 {
				if index >= len(line) {
					return 0 // spaces at the end of a line can be missing
				}
				return uint32(line[index]-' ') & 63
			}
			size := len(content) + int(sixBits(0))
			for group := 1; len(content) < size; group += 4 {
				bits := sixBits(group)<<18 | sixBits(group+1)<<12 | sixBits(group+2)<<6 | sixBits(group+3)
				content = append(content, byte(bits>>16), byte(bits>>8), byte(bits))
			}
			content = content[:size]
		}
	}
	return content, true
}

// hexadecimal returns the value of a digit, or -1.
func hexadecimal(text []byte, offset int) int {
	if offset >= len(text) {
		return -1
	}
	return strings.IndexByte("0123456789abcdef", text[offset]|0x20)
}
