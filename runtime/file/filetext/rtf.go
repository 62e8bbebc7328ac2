package filetext

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/equation"
)

const rtfHeader = `{\rtf`

// rtfWords are control words that are text (RTF 1.9.1).
var rtfWords = map[string]string{
	"par": "\n", "line": "\n", "row": "\n", "sect": "\n", "page": "\n", "tab": "\t", "cell": "\t", "nestcell": "\t",
	"nestrow": "\n", "~": "\u00a0",
	"_": "\u2011", "emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“",
	"rdblquote": "”", "bullet": "•",
	`\`: `\`, "{": "{", "}": "}", "\n": "\n", "\r": "\n",
}

// rtfUnread are destinations without text of the document.
var rtfUnread = map[string]bool{
	"fonttbl": true, "colortbl": true, "stylesheet": true, "info": true, "fldinst": true, "xe": true, "tc": true,
	"datastore": true,
	"themedata": true, "objdata": true, "nonshppict": true, "listtext": true, "shprslt": true, "momath": true,
}

// rtfToken is a brace, a byte in hexadecimal digits, a control word with its number, a control symbol, or text.
var rtfToken = regexp.MustCompile(
	`(?s)[{}]|\\'([0-9a-fA-F]{2})|\\([a-zA-Z]{1,32})(-?[0-9]{1,9})? ?|\\(.)|[\r\n]+|[^\\{}\r\n]+`)

// rtfGroup is the state of an open group.
type rtfGroup struct {
	isUnread bool
	fallback int    // characters after a Unicode character, for readers without Unicode
	mark     string // of a superscript or subscript
	start    int    // of its text
}

type rtfText struct {
	out     bytes.Buffer
	pending []byte // in the charset of the document
	charset string
	group   rtfGroup
	outer   []rtfGroup
	skipped int    // characters to skip
	apart   int    // where a superscript or subscript ended
	mark    string // of it
}

// maxGroups bounds nested groups. Deeper ones are read as if they were in the last one.
const maxGroups = 1000

// readRTF returns the text of an RTF file.
func readRTF(data []byte) string {
	r := &rtfText{charset: "windows-1252", group: rtfGroup{fallback: 1}}
	for len(data) > 0 {
		found := rtfToken.FindSubmatchIndex(data)
		if found == nil {
			break
		}
		group := func(i int) string {
			if found[2*i] < 0 {
				return ""
			}
			return string(data[found[2*i]:found[2*i+1]])
		}
		token, end := group(0), found[1]
		switch {
		case token == "{":
			r.open()
		case token == "}":
			r.close()
		case group(1) != "":
			value, _ := strconv.ParseUint(group(1), 16, 8)
			r.bytes([]byte{byte(value)})
		case group(2) == "bin":
			length, _ := strconv.Atoi(group(3))
			end = min(len(data), end+max(length, 0))
		case group(2) != "":
			r.word(group(2), group(3))
		case group(4) == "*":
			r.group.isUnread = true
		case group(4) != "":
			r.write(rtfWords[group(4)])
		case token[0] != '\r' && token[0] != '\n':
			r.bytes([]byte(token))
		}
		data = data[end:]
	}
	r.endScript()
	return r.out.String()
}

func (r *rtfText) open() {
	r.flush()
	if len(r.outer) < maxGroups {
		r.outer = append(r.outer, r.group)
	}
}

func (r *rtfText) close() {
	r.flush()
	last := len(r.outer) - 1
	if last < 0 {
		return
	}
	if outer := r.outer[last]; outer.mark != r.group.mark {
		r.endScript()
	}
	r.group, r.outer = r.outer[last], r.outer[:last]
	r.group.start = min(r.group.start, r.out.Len())
}

func (r *rtfText) word(name, number string) {
	value, _ := strconv.Atoi(number)
	switch {
	case rtfUnread[name]:
		r.group.isUnread = true
	case name == "pict":
		r.write("[picture not shown]")
		r.group.isUnread = true
	case name == "mmath":
		r.write("[equation not shown]")
	case name == "shptxt": // in an unread description of a shape
		r.group.isUnread = false
	case name == "ansicpg":
		if charset := lookUp("cp" + number); charset != "" {
			r.charset = charset
		}
	case name == "uc":
		r.group.fallback = value
	case name == "u":
		r.write(string(rune(uint16(value))))
		r.skipped = r.group.fallback
	case name == "super", name == "sub", name == "nosupersub", name == "plain":
		r.endScript()
		r.group.mark = map[string]string{"super": equation.Superscript, "sub": equation.Subscript}[name]
		r.group.start = r.out.Len()
	default:
		r.write(rtfWords[name])
	}
}

func (r *rtfText) bytes(text []byte) {
	skipped := min(r.skipped, len(text))
	r.skipped -= skipped
	if !r.group.isUnread {
		r.pending = append(r.pending, text[skipped:]...)
	}
}

func (r *rtfText) write(text string) {
	if r.flush(); !r.group.isUnread {
		r.append(text)
	}
}

func (r *rtfText) flush() {
	if len(r.pending) > 0 {
		r.append(string(decode(r.pending, r.charset, false).Bytes))
		r.pending = r.pending[:0]
	}
}

// append adds text, apart from a superscript or subscript before it.
func (r *rtfText) append(text string) {
	if r.apart > 0 && r.apart == r.out.Len() {
		r.out.WriteString(equation.Separator(r.mark, text))
	}
	r.out.WriteString(text)
}

// endScript marks the open superscript or subscript.
func (r *rtfText) endScript() {
	r.flush()
	if r.group.mark == "" {
		return
	}
	text := strings.Clone(string(r.out.Bytes()[r.group.start:]))
	r.out.Truncate(r.group.start)
	r.out.WriteString(equation.Script(r.group.mark, text))
	r.mark, r.apart = r.group.mark, r.out.Len()
	r.group.mark = ""
}
