package mcphost

import (
	"bytes"
	"slices"

	"github.com/pelletier/go-toml/v2"
)

// tomlFormat is TOML. It replaces single lines, so that comments and spelling survive.
type tomlFormat struct {
	section string
	own     []string
}

func (f tomlFormat) servers() string { return f.section }
func (f tomlFormat) owned() []string { return f.own }

// errSpelling: inline tables and dotted keys cannot be edited line by line.
const errSpelling = problem("its entry for this server is an inline table or has dotted keys")

func (f tomlFormat) change(content []byte, name string, wanted []setting) ([]byte, error) {
	before, err := f.decode(content)
	if err != nil {
		return nil, err
	}
	statements, err := tomlStatements(content)
	if err != nil {
		return nil, err
	}
	newline := "\n"
	if bytes.Contains(content, []byte("\r\n")) {
		newline = "\r\n"
	}
	var changed []byte
	heading := slices.IndexFunc(statements, func(s tomlStatement) bool {
		return s.table && slices.Equal(s.key, []string{f.section, name})
	})
	if heading < 0 {
		changed = f.add(content, newline, name, wanted)
	} else {
		changed = f.replace(content, newline, statements[heading:], entryOf(before, f.section, name), wanted)
	}
	if !faithful(f, content, changed, name, wanted) {
		return nil, errSpelling
	}
	return changed, nil
}

// add appends a table after an empty line.
func (f tomlFormat) add(content []byte, newline, name string, wanted []setting) []byte {
	changed := bytes.Clone(content)
	if len(changed) > 0 && changed[len(changed)-1] != '\n' {
		changed = append(changed, newline...)
	}
	if len(changed) > 0 {
		changed = append(changed, newline...)
	}
	changed = append(changed, "["+f.section+"."+name+"]"+newline...)
	for _, each := range wanted {
		changed = append(changed, each.name+" = "+tomlValue(each)+newline...)
	}
	return changed
}

// replace changes the lines of a table whose heading is the first statement. Correct lines stay. New lines follow the last line that
// setup owns.
func (f tomlFormat) replace(content []byte, newline string, statements []tomlStatement, entry map[string]any, wanted []setting) []byte {
	if end := slices.IndexFunc(statements[1:], func(s tomlStatement) bool { return s.heading }); end >= 0 {
		statements = statements[:end+1]
	}
	added := ""
	for _, each := range wanted {
		if !slices.ContainsFunc(statements, func(s tomlStatement) bool { return slices.Equal(s.key, []string{each.name}) }) {
			added += each.name + " = " + tomlValue(each) + newline
		}
	}
	changed := bytes.Clone(content)
	for _, line := range slices.Backward(statements) { // so that earlier offsets stay valid
		owned := len(line.key) == 1 && slices.Contains(f.own, line.key[0])
		current, isWanted := settingOf(wanted, line.key[0])
		if owned && !isWanted {
			changed = slices.Delete(changed, line.lineStart, line.lineEnd)
		}
		if (line.heading || owned && isWanted) && added != "" {
			if content[line.lineEnd-1] != '\n' { // at the end of the file
				added = newline + added
			}
			changed, added = slices.Insert(changed, line.lineEnd, []byte(added)...), ""
		}
		if owned && isWanted && !current.is(entry[current.name]) {
			changed = slices.Replace(changed, line.start, line.end, []byte(current.name+" = "+tomlValue(current))...)
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
