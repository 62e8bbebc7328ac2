package mcphost

import (
	"bytes"
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlStatement is a heading or a key with its value, and where it stands, in bytes.
type tomlStatement struct {
	heading bool // of a table or of an item of an array of tables
	table   bool // of a table
	key     []string

	start, end         int // of key and value, without comments
	lineStart, lineEnd int // of all its lines, the line break included
}

func tomlStatements(content []byte) ([]tomlStatement, error) {
	parser := unstable.Parser{}
	parser.Reset(content)
	var statements []tomlStatement
	for parser.NextExpression() {
		node := parser.Expression()
		statement := tomlStatement{heading: node.Kind != unstable.KeyValue, table: node.Kind == unstable.Table}
		keys := node.Key()
		for keys.Next() {
			key := keys.Node()
			if len(statement.key) == 0 {
				statement.start = int(key.Raw.Offset)
			}
			statement.end = int(key.Raw.Offset + key.Raw.Length)
			statement.key = append(statement.key, string(key.Data))
		}
		if !statement.heading {
			// A value may have lines of its own, and its range may end with white space.
			statement.start = int(node.Raw.Offset)
			statement.end = statement.start + len(bytes.TrimRight(parser.Raw(node.Raw), " \t"))
		}
		statement.lineStart = bytes.LastIndexByte(content[:statement.start], '\n') + 1
		statement.lineEnd = len(content)
		if at := bytes.IndexByte(content[statement.end:], '\n'); at >= 0 {
			statement.lineEnd = statement.end + at + 1
		}
		statements = append(statements, statement)
	}
	if parser.Error() != nil {
		return nil, problem("it is not valid TOML")
	}
	return statements, nil
}

// textEdits are replacements of parts of a text that do not overlap.
type textEdits []textEdit

type textEdit struct {
	start, end int // in bytes of the text as it was
	text       string
}

func (e *textEdits) add(start, end int, text string) { *e = append(*e, textEdit{start, end, text}) }

func (e textEdits) apply(content []byte) []byte {
	ordered := slices.Clone(e)
	// What is inserted comes before what is replaced at the same place.
	slices.SortStableFunc(ordered, func(a, b textEdit) int { return cmp.Or(a.start-b.start, a.end-b.end) })
	var changed []byte
	copied := 0
	for _, edit := range ordered {
		changed = append(append(changed, content[copied:edit.start]...), edit.text...)
		copied = edit.end
	}
	return append(changed, content[copied:]...)
}

func sameValue(decoded any, wanted setting) bool { return reflect.DeepEqual(decoded, wanted.value()) }

func tomlValue(s setting) string {
	if s.list == nil {
		return tomlText(s.text)
	}
	quoted := make([]string, len(s.list))
	for i, each := range s.list {
		quoted[i] = tomlText(each)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// tomlText is a basic string (TOML 1.0, section String).
func tomlText(text string) string {
	var quoted strings.Builder
	quoted.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			quoted.WriteByte('\\')
			quoted.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&quoted, `\u%04X`, r)
		default:
			quoted.WriteRune(r)
		}
	}
	quoted.WriteByte('"')
	return quoted.String()
}
