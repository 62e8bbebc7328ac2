package mcphost

import (
	"bytes"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
	"github.com/tailscale/hujson"
)

// tomlStatement is a heading or a key with its value, and its byte offsets.
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
			// A value may have several lines, and its range may end with white space.
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

// tomlText is a basic string (TOML 1.0, section String): a JSON string in which DEL is escaped too.
func tomlText(text string) string {
	return strings.ReplaceAll(string(hujson.String(text)), "\x7f", `\u007F`)
}
