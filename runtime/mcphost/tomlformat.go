package mcphost

import (
	"bytes"
	"slices"

	"github.com/pelletier/go-toml/v2"
)

// tomlFormat is TOML. Text is replaced line by line and the rest is never written anew, so comments and
// spelling survive.
type tomlFormat struct {
	section string
	own     []string
}

func (f tomlFormat) servers() string { return f.section }
func (f tomlFormat) owned() []string { return f.own }

// errSpelling: a table in braces or with dotted keys says the same in a form that lines cannot be added to.
const errSpelling = problem("its entry for this server is not spelled as one table with a heading of its own")

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

// add puts a table at the end, after an empty line.
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

// replace changes the lines of a table whose heading is the first statement. A line that is right stays as
// it is spelled.
func (f tomlFormat) replace(content []byte, newline string, statements []tomlStatement, entry map[string]any, wanted []setting) []byte {
	body := statements[1:]
	if end := slices.IndexFunc(body, func(s tomlStatement) bool { return s.heading }); end >= 0 {
		body = body[:end]
	}
	edits := textEdits{}
	insertAt := statements[0].lineEnd // of what is not there yet: behind the last line that setup owns
	for _, name := range f.own {
		line := slices.IndexFunc(body, func(s tomlStatement) bool { return slices.Equal(s.key, []string{name}) })
		if line < 0 {
			continue
		}
		if i := slices.IndexFunc(wanted, func(s setting) bool { return s.name == name }); i < 0 {
			edits.add(body[line].lineStart, body[line].lineEnd, "")
		} else {
			insertAt = max(insertAt, body[line].lineEnd)
			if !sameValue(entry[name], wanted[i]) {
				edits.add(body[line].start, body[line].end, name+" = "+tomlValue(wanted[i]))
			}
		}
	}
	added := ""
	for _, each := range wanted {
		if !slices.ContainsFunc(body, func(s tomlStatement) bool { return slices.Equal(s.key, []string{each.name}) }) {
			added += each.name + " = " + tomlValue(each) + newline
		}
	}
	if added != "" {
		if content[insertAt-1] != '\n' { // the heading ends the file
			added = newline + added
		}
		edits.add(insertAt, insertAt, added)
	}
	return edits.apply(content)
}

func (f tomlFormat) decode(content []byte) (map[string]any, error) {
	decoded := map[string]any{}
	if err := toml.Unmarshal(content, &decoded); err != nil {
		// The parser quotes what it stumbled over, which may be a part of a secret.
		return nil, problem("it is not valid TOML")
	}
	return decoded, nil
}

func (f tomlFormat) readable(content []byte) []byte { return content }
