package blind

import (
	"cmp"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// Text reads the text of results.
type Text struct{}

var _ Channel = Text{}

var (
	errNoHead     = errors.New("the first line is not the one of such a result")
	errNoSources  = errors.New("no connector with a connection and streams")
	errNoFields   = errors.New("no fields")
	errNoDocument = errors.New("not the JSON of a document")
	errNoWindow   = errors.New("no marked text after an empty line")
	errNoValue    = errors.New("neither a value nor groups")
)

// Index reads the rows, one for each connection with its streams, or the connectors of an index that has none: each has
// its connections, one a line, and then its streams in one line.
func (Text) Index(seen string) ([]Source, error) {
	sources := indexedRows(seen)
	if sources == nil {
		sources = indexedLines(seen)
	}
	if len(sources) == 0 {
		return nil, errNoSources
	}
	return sources, nil
}

// indexedRows reads the cells of a connection, which the line of the columns names, and behind them its streams: their
// names, or tokens that describe each.
func indexedRows(seen string) []Source {
	var columns []string
	var sources []Source
	for line := range strings.SplitSeq(seen, "\n") {
		if named, ok := strings.CutPrefix(line, "columns: "); ok {
			_ = json.Unmarshal([]byte(named[:jsonLength(named)]), &columns) // without columns the rows have no cells
		}
		row, cells := tableRow{names: columns}, jsonLength(line)
		if !strings.HasPrefix(line, "[") || json.Unmarshal([]byte(line[:cells]), &row.values) != nil ||
			len(row.values) != len(columns) {
			continue
		}
		source := Source{
			ConnectionID: row.text("connection_id"), ConnectorKey: row.text("connector_key"),
			Label: row.text("display_name"),
		}
		streams := listed(line[cells:])
		if pairs := tokens(line[cells:]); pairs != nil {
			streams = nil
			for _, each := range pairs {
				streams = append(streams, each.name)
			}
		}
		sources = append(sources, source.each(streams)...)
	}
	return sources
}

// each returns the source with each of the streams.
func (s Source) each(streams []string) []Source {
	var sources []Source
	for _, stream := range streams {
		s.Stream = stream
		sources = append(sources, s)
	}
	return sources
}

func indexedLines(seen string) []Source {
	var sources, connections []Source
	connector := ""
	for line := range strings.SplitSeq(seen, "\n") {
		line = strings.TrimSpace(line)
		if key, ok := find(line, "connector_key"); ok && strings.HasPrefix(line, "connector ") {
			connector, connections = key, nil
		} else if id, ok := find(line, "connection_id"); ok && strings.HasPrefix(line, "connection_id=") {
			label, _ := find(line, "display_name")
			connections = append(connections, Source{ConnectionID: id, ConnectorKey: connector, Label: label})
		} else if names, ok := strings.CutPrefix(line, "streams: "); ok {
			for _, source := range connections {
				sources = append(sources, source.each(listed(names))...)
			}
		}
	}
	return sources
}

// Stream reads the fields, those of the same flags on a line below fields= or their names alone behind it, the sort
// line, and the legend.
func (Text) Stream(seen string) (Stream, error) {
	stream := Stream{Legend: map[string]string{}}
	inFields, seenOnly := false, false
	for line := range strings.SplitSeq(seen, "\n") {
		content := strings.TrimPrefix(line, " ")
		switch {
		case inFields && seenOnly && content != line:
			stream.Fields = append(stream.Fields, unadvertised(content)...)
		case inFields && content != line:
			stream.Fields = append(stream.Fields, alike(content)...)
		case strings.HasPrefix(content, "fields="):
			inFields, seenOnly = true, strings.Contains(content, "examples seen in ")
			_, names, _ := strings.Cut(content, "advertised: ")
			for names != "" {
				var name string
				name, names = cutName(names)
				stream.Fields = append(stream.Fields, Field{name, parseFlags("declared")})
				names = strings.TrimSpace(names)
			}
		default:
			inFields = false
			if implied, found := strings.CutPrefix(content, "sort: "); found {
				stream.Sorts = quotedWords(implied)
			}
			if explained, found := strings.CutPrefix(content, "flags: "); found {
				stream.Legend = parseLegend(explained)
			}
		}
	}
	if len(stream.Fields) == 0 {
		return stream, errNoFields
	}
	stream.takeRanges()
	return stream, nil
}

// unadvertised returns the fields of a line that names a kind of value, and then each field with an example, or no
// value and the fields.
func unadvertised(line string) []Field {
	kind, examples, _ := strings.Cut(line, ": ")
	var fields []Field
	if kind == "no value" {
		for _, name := range listed(examples) {
			fields = append(fields, Field{name, parseFlags("declared")})
		}
		return fields
	}
	for _, example := range tokens(examples) {
		fields = append(fields, Field{example.name, parseFlags("declared")})
	}
	return fields
}

// alike returns the fields of a line, which all have the type and the flags behind the colon.
func alike(line string) []Field {
	var names []string
	for {
		var name string
		name, line = cutName(line)
		last := strings.HasSuffix(name, ":") || strings.HasPrefix(line, ":")
		if names = append(names, strings.TrimSuffix(name, ":")); last || line == "" {
			break
		}
		line = strings.TrimPrefix(line, " ")
	}
	var fields []Field
	for _, name := range names {
		fields = append(fields, Field{name, parseFlags("t=" + strings.TrimLeft(line, ": "))})
	}
	return fields
}

// quotedWords returns the JSON strings in a line.
func quotedWords(line string) []string {
	var words []string
	for {
		at := strings.IndexByte(line, '"')
		if at < 0 {
			return words
		}
		length := jsonLength(line[at:])
		if length == 0 {
			return words
		}
		words = append(words, token{value: line[at : at+length]}.text())
		line = line[at+length:]
	}
}

// Page reads the head and the rows.
func (Text) Page(seen string) (Page, error) {
	page := Page{Count: -1}
	if !strings.HasPrefix(seen, "records ") {
		return page, errNoHead
	}
	for line := range strings.SplitSeq(seen, "\n") {
		if call, ok := nextLine(line); ok && line[0] != ' ' {
			page.Next = append(page.Next, call)
		} else if isHead(line) {
			page.readHead(line)
		}
	}
	page.Cursor = cmp.Or(page.Cursor, passedOn(seen, "next_cursor", "cursor"))
	page.Bookmark = cmp.Or(page.Bookmark, passedOn(seen, "next_changes_since", "changes_since"))
	rows, err := rowsOf(seen)
	if err != nil {
		return page, err
	}
	for _, each := range rows {
		row, err := each.record()
		if err != nil {
			return page, err
		}
		page.Rows = append(page.Rows, row)
	}
	return page, nil
}

// passedOn returns the value of an argument in the call below a line that says that a name is in it.
func passedOn(seen, name, argument string) string {
	lines := strings.Split(seen, "\n")
	for i, line := range lines[:len(lines)-1] {
		if !strings.HasPrefix(line, name+" ") || !strings.HasSuffix(line, " is in:") {
			continue
		}
		var arguments map[string]json.RawMessage
		_, call, _ := strings.Cut(lines[i+1], "{")
		if json.Unmarshal([]byte("{"+call), &arguments) == nil && arguments[argument] != nil {
			return token{value: string(arguments[argument])}.text()
		}
	}
	return ""
}

// isHead reports whether a line is not part of a row.
func isHead(line string) bool { return line != "" && !strings.ContainsRune("[{ ", rune(line[0])) }

func (p *Page) readHead(line string) {
	for _, token := range tokens(line) {
		if token.quoted {
			continue
		}
		switch token.name {
		case "has_more":
			p.HasMore = token.value == "true"
		case "count":
			if number, exact := strings.CutPrefix(token.value, "exact:"); exact {
				p.Count = whole(number)
			}
		case "next_cursor":
			p.Cursor = token.text()
		case "next_changes_since":
			p.Bookmark = token.text()
		}
	}
}

// Aggregate reads value=, or the groups, one a line.
func (Text) Aggregate(seen string) (Aggregate, error) {
	var aggregate Aggregate
	head, rest, _ := strings.Cut(seen, "\n")
	if !strings.HasPrefix(head, "aggregate ") {
		return aggregate, errNoHead
	}
	if value := raw(head, "value"); value != nil {
		aggregate.Value = value
		return aggregate, nil
	}
	for line := range strings.SplitSeq(rest, "\n") {
		if others, ok := find(line, "other_count"); ok && isHead(line) {
			aggregate.Others = whole(others)
		}
	}
	rows, err := rowsOf(rest)
	if err != nil {
		return aggregate, err
	}
	for _, row := range rows {
		aggregate.Groups = append(aggregate.Groups, Group{Key: row.get("key"), Count: whole(string(row.get("count")))})
	}
	if aggregate.Groups == nil {
		return aggregate, errNoValue
	}
	return aggregate, nil
}

func raw(line, name string) json.RawMessage {
	for _, token := range tokens(line) {
		if token.isOwn(name) {
			return json.RawMessage(token.value)
		}
	}
	return nil
}

// Document reads the JSON in the text of fetch.
func (Text) Document(seen string) (Document, error) { return readDocument(seen) }

// Window reads the tokens before the first empty line. The text follows between two lines with the same mark, unless it
// is empty.
func (Text) Window(seen string) (Window, error) {
	head, marked, found := strings.Cut(seen, "\n\n")
	opening, text, _ := strings.Cut(marked, "\n")
	mark, isOpened := strings.CutPrefix(opening, "[data ")
	text, isClosed := strings.CutSuffix(text, "\n[/data "+mark)
	if !found || marked != "" && !(isOpened && isClosed) {
		return Window{}, errNoWindow
	}
	window := Window{Text: text}
	for line := range strings.SplitSeq(head, "\n") {
		if more, ok := find(line, "has_more"); ok {
			window.HasMore = more == "true"
		}
		if total, ok := find(line, "total_chars"); ok {
			window.Total = whole(total)
		}
		if call, ok := nextLine(line); ok {
			window.Next = append(window.Next, call)
		}
	}
	return window, nil
}

// Refusal reads the error object, which is the whole text of a failed call.
func (Text) Refusal(seen string) (Refusal, bool) {
	var sent errorObject
	if json.Unmarshal([]byte(seen), &sent) != nil || sent.Code == "" || sent.Message == "" {
		return Refusal{}, false
	}
	return sent.refusal(), true
}

// whole returns a number, or -1.
func whole(text string) int {
	number, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return number
}
