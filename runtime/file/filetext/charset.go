package filetext

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// aliases are labels that programs write and the encoding standard of the WHATWG does not have.
var aliases = map[string]string{
	"cp932": "shift_jis", "ms932": "shift_jis", "ibm932": "shift_jis", "ibm943": "shift_jis", "sjis-win": "shift_jis",
	"shift_jisx0213": "shift_jis",
	"eucjp":          "euc-jp", "eucjp-win": "euc-jp", "cp51932": "euc-jp", "ujis": "euc-jp",
	"cp50220": "iso-2022-jp", "cp50221": "iso-2022-jp", "iso-2022-jp-1": "iso-2022-jp", "iso-2022-jp-2": "iso-2022-jp",
	"iso-2022-jp-3": "iso-2022-jp", "iso-2022-jp-ms": "iso-2022-jp",
	"cp936": "gbk", "ms936": "gbk", "euccn": "gbk", "euc-cn": "gbk", "hz": "hz-gb-2312", "cp54936": "gb18030",
	"cp949": "euc-kr", "ms949": "euc-kr", "uhc": "euc-kr", "euckr": "euc-kr", "cp950": "big5", "ms950": "big5",
	"big5hkscs": "big5", "big5-tw": "big5",
	"unicode-1-1-utf-7": "utf-7", "x-unicode-2-0-utf-7": "utf-7", "csiso2022kr": "iso-2022-kr",
	"cp65001": "utf-8", "utf8mb4": "utf-8", "latin-1": "windows-1252", "latin-2": "iso-8859-2", "latin-9": "iso-8859-15",
	"latin9": "iso-8859-15",
	"646":    "windows-1252", "iso-646": "windows-1252", "iso646-us": "windows-1252", "roman": "macintosh",
	"macroman": "macintosh", "mac-roman": "macintosh",
}

// codePages are charsets of DOS, which the encoding standard does not have.
var codePages = map[string]*charmap.Charmap{
	"cp437": charmap.CodePage437, "cp850": charmap.CodePage850, "cp852": charmap.CodePage852, "cp855": charmap.CodePage855,
	"cp858": charmap.CodePage858, "cp860": charmap.CodePage860, "cp862": charmap.CodePage862, "cp863": charmap.CodePage863,
	"cp865": charmap.CodePage865,
}

// decoders are of charsets that switch between ASCII and other characters, which browsers refuse to read.
var decoders = map[string]func(data []byte) []byte{
	"utf-7": decodeUTF7, "iso-2022-kr": decodeISO2022KR, "hz-gb-2312": func(data []byte) []byte {
		text, _ := simplifiedchinese.HZGB2312.NewDecoder().Bytes(data) // it replaces invalid bytes by U+FFFD
		return text
	},
}

// decodeUTF7 decodes UTF-7 (RFC 2152): base64 of UTF-16 between a plus sign and the first other character.
func decodeUTF7(data []byte) []byte {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	var text []byte
	for len(data) > 0 {
		before, shifted, isShifted := bytes.Cut(data, []byte("+"))
		text = append(text, before...)
		var units []uint16
		bits, kept := uint32(0), 0
		end := 0
		for ; end < len(shifted); end++ {
			digit := strings.IndexByte(alphabet, shifted[end])
			if digit < 0 {
				break
			}
			if bits, kept = bits<<6|uint32(digit), kept+6; kept >= 16 {
				kept -= 16
				units = append(units, uint16(bits>>kept))
			}
		}
		if isShifted && end == 0 {
			text = append(text, '+')
		}
		text = append(text, string(utf16.Decode(units))...)
		data = bytes.TrimPrefix(shifted[end:], []byte("-"))
	}
	return bytes.ToValidUTF8(text, []byte("\ufffd"))
}

// decodeISO2022KR decodes ISO-2022-KR (RFC 1557): EUC-KR without its high bits, between shift out and shift in or the
// end of the line.
func decodeISO2022KR(data []byte) []byte {
	const shiftOut, shiftIn = 0x0e, 0x0f
	isKorean := false
	var shifted []byte
	for _, b := range bytes.ReplaceAll(data, []byte(koreanEscape), nil) {
		switch {
		case b == shiftOut, b == shiftIn, b == '\n':
			if isKorean = b == shiftOut; b != '\n' {
				continue
			}
		case isKorean && b > ' ':
			b |= 0x80
		}
		shifted = append(shifted, b)
	}
	text, _ := korean.EUCKR.NewDecoder().Bytes(shifted) // it replaces invalid bytes by U+FFFD
	return text
}

// koreanEscape begins a text in ISO-2022-KR.
const koreanEscape = "\x1b$)C"

// windowsLabel is a label of a code page of Windows or DOS.
var windowsLabel = regexp.MustCompile(`^(?:x-)?(?:cp|ibm|ms|win|windows|dos)-?([0-9]+)$`)

// lookUp returns the name of a charset that can be decoded, or nothing. It is the name of the WHATWG if that has one.
func lookUp(label string) string {
	label = strings.Trim(strings.ToLower(strings.TrimSpace(label)), `"'`)
	for _, candidate := range []string{
		label, strings.ReplaceAll(label, "_", "-"), windowsLabel.ReplaceAllString(label, "windows-$1"),
		windowsLabel.ReplaceAllString(label, "cp$1"),
	} {
		if name, isAlias := aliases[candidate]; isAlias {
			return name
		}
		if codePages[candidate] != nil || decoders[candidate] != nil {
			return candidate
		}
		known, err := htmlindex.Get(candidate)
		if err != nil || known == encoding.Replacement { // of iso-2022-cn; the decoder returns no text
			continue
		}
		if name, err := htmlindex.Name(known); err == nil {
			return name
		}
	}
	return ""
}

// encodingOf returns the encoding of a name that lookUp returns.
func encodingOf(name string) encoding.Encoding {
	if page := codePages[name]; page != nil {
		return page
	}
	known, _ := htmlindex.Get(name)
	return known
}
