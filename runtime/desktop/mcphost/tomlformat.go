package mcphost

import (
	"bytes"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
	"github.com/tailscale/hujson"
)

// tomlFormat is TOML. It replaces single lines, so that comments and spelling survive.
type tomlFormat struct{}

// errInlineTable: inline tables and dotted keys cannot be edited line by line.
const errInlineTable = problem("its entry for this server is an inline table or has dotted keys")

func (f tomlFormat) change(content []byte, section, name string, wanted []setting) ([]byte, error) {
	before, err := f.decode(content)
	if err != nil {
		return nil, err
	}
	statements := tomlStatements(content)
	newline := "\n"
	if bytes.Contains(content, []byte("\r\n")) {
		newline = "\r\n"
	}
	var changed []byte
	heading := slices.IndexFunc(statements, func(s tomlStatement) bool {
		return s.kind == unstable.Table && slices.Equal(s.key, []string{section, name})
	})
	if heading < 0 {
		changed = addTable(content, newline, section+"."+name, wanted)
	} else {
		changed = replaceLines(content, newline, statements[heading:], objectIn(objectIn(before, section), name), wanted)
	}
	if !changesOnlyEntry(f, content, changed, section, name, wanted) {
		return nil, errInlineTable
	}
	return changed, nil
}

// addTable appends a table after an empty line.
func addTable(content []byte, newline, name string, wanted []setting) []byte {
	changed := bytes.Clone(content)
	if len(changed) > 0 && changed[len(changed)-1] != '\n' {
		changed = append(changed, newline...)
	}
	if len(changed) > 0 {
		changed = append(changed, newline...)
	}
	changed = append(changed, "["+name+"]"+newline...)
	for _, each := range wanted {
		if each.value != nil {
			changed = append(changed, each.line()+newline...)
		}
	}
	return changed
}

// replaceLines changes the lines of a table whose heading is the first statement. Correct lines stay. New lines follow
// the last line that setup owns.
func replaceLines(content []byte, newline string, statements []tomlStatement, entry map[string]any, wanted []setting) []byte {
	if end := slices.IndexFunc(statements[1:], func(s tomlStatement) bool { return s.kind != unstable.KeyValue }); end >= 0 {
		statements = statements[:end+1]
	}
	added := ""
	for _, each := range wanted {
		if _, isPresent := entry[each.name]; !isPresent && each.value != nil {
			added += each.line() + newline
		}
	}
	changed := bytes.Clone(content)
	for _, line := range slices.Backward(statements) { // so that earlier offsets stay valid
		i := slices.IndexFunc(wanted, func(s setting) bool { return slices.Equal(line.key, []string{s.name}) })
		isHeading := line.kind != unstable.KeyValue
		isKept := isHeading || i >= 0 && wanted[i].value != nil
		if isKept && added != "" {
			if content[line.lineEnd-1] != '\n' { // at the end of the file
				added = newline + added
			}
			changed, added = slices.Insert(changed, line.lineEnd, []byte(added)...), ""
		}
		switch {
		case isHeading || i < 0:
		case !isKept:
			changed = slices.Delete(changed, line.lineStart, line.lineEnd)
		case !reflect.DeepEqual(entry[wanted[i].name], wanted[i].value):
			changed = slices.Replace(changed, line.start, line.end, []byte(wanted[i].line())...)
		}
	}
	return changed
}

func (f tomlFormat) decode(content []byte) (map[string]any, error) {
	decoded := map[string]any{}
	if err := toml.Unmarshal(content, &decoded); err != nil {
		// The parser's error may quote a secret.
		return nil, problem("it is not valid TOML")
	}
	return decoded, nil
}

func (f tomlFormat) readable(content []byte) []byte { return content }

// tomlStatement is a heading or a key with its value, and its byte offsets.
type tomlStatement struct {
	kind unstable.Kind // KeyValue, or the heading of a Table or of an item of an ArrayTable
	key  []string

	start, end         int // of key and value, without comments
	lineStart, lineEnd int // of all its lines, the line break included
}

func tomlStatements(content []byte) []tomlStatement {
	parser := unstable.Parser{}
	parser.Reset(content)
	var statements []tomlStatement
	for parser.NextExpression() {
		node := parser.Expression()
		statement := tomlStatement{kind: node.Kind}
		keys := node.Key()
		for keys.Next() {
			key := keys.Node()
			if len(statement.key) == 0 {
				statement.start = int(key.Raw.Offset)
			}
			statement.end = int(key.Raw.Offset + key.Raw.Length)
			statement.key = append(statement.key, string(key.Data))
		}
		if node.Kind == unstable.KeyValue {
			// A value may have several lines, and its range may end with white space.
			statement.start = int(node.Raw.Offset)
			statement.end = statement.start + len(bytes.TrimRight(parser.Raw(node.Raw), " \t"))
		}
		statement.lineStart = bytes.LastIndexByte(content[:statement.start], '\n') + 1
		statement.lineEnd = len(content)
		if index := bytes.IndexByte(content[statement.end:], '\n'); index >= 0 {
			statement.lineEnd = statement.end + index + 1
		}
		statements = append(statements, statement)
	}
	return statements
}

// line returns a setting as TOML. Its strings are basic ones (TOML 1.0, section String): JSON strings in which DEL is
// escaped too.
func (s setting) line() string {
	quote := func(value any) string {
		text, _ := value.(string)
		return strings.ReplaceAll(string(hujson.String(text)), "\x7f", `\u007F`)
	}
	list, isList := s.value.([]any)
	if !isList {
		return s.name + " = " + quote(s.value)
	}
	quoted := make([]string, len(list))
	for i, each := range list {
		quoted[i] = quote(each)
	}
	return s.name + " = [" + strings.Join(quoted, ", ") + "]"
}
