package filetext

import (
	"regexp"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
)

// aliases are labels that programs write and the encoding standard of the WHATWG does not have.
var aliases = map[string]string{
	"cp932": "shift_jis", "ms932": "shift_jis", "ibm932": "shift_jis", "ibm943": "shift_jis", "sjis-win": "shift_jis",
	"shift_jisx0213": "shift_jis",
	"eucjp":          "euc-jp", "eucjp-win": "euc-jp", "cp51932": "euc-jp", "ujis": "euc-jp",
	"cp50220": "iso-2022-jp", "cp50221": "iso-2022-jp", "iso-2022-jp-1": "iso-2022-jp", "iso-2022-jp-2": "iso-2022-jp",
	"iso-2022-jp-3": "iso-2022-jp", "iso-2022-jp-ms": "iso-2022-jp",
	"cp936": "gbk", "ms936": "gbk", "euccn": "gbk", "euc-cn": "gbk", "hz": "", "cp54936": "gb18030",
	"cp949": "euc-kr", "ms949": "euc-kr", "uhc": "euc-kr", "euckr": "euc-kr", "cp950": "big5", "ms950": "big5",
	"big5hkscs": "big5", "big5-tw": "big5",
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
		if codePages[candidate] != nil {
			return candidate
		}
		known, err := htmlindex.Get(candidate)
		if err != nil || known == encoding.Replacement { // iso-2022-kr and a few others; the decoder returns no text
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
