package blind

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
)

// Hits reads the hits and what is shown of them, and how to page.
func (Text) Hits(seen string) (Hits, error) {
	var hits Hits
	rows, err := rowsOf(seen)
	if err != nil {
		return hits, err
	}
	shared, sources := "", map[string]string{} // a line for all, and those for each connection
	for line := range strings.SplitSeq(seen, "\n") {
		if call, ok := nextLine(line); ok && line[0] != ' ' {
			hits.Next = append(hits.Next, call)
		}
		if isHead(line) {
			hits.readPaging(line)
		}
		if strings.HasPrefix(line, "all hits: ") {
			shared = line
		}
		if id, ok := find(line, "connection_id"); ok && strings.HasPrefix(line, "source ") {
			sources[id] = line
		}
	}
	hits.Cursor = cmp.Or(hits.Cursor, passedOn(seen, "next_cursor", "cursor"))
	for _, row := range rows {
		connection, stream := namesIn(row.lead("id"))
		hit := row.hit(shared, sources[connection])
		hit.Stream = cmp.Or(hit.Stream, stream)
		hits.List = append(hits.List, hit)
	}
	return hits, nil
}

// hit returns the row as a hit. Values that all hits share are on one line, and values that the hits of a connection
// share on another for it.
func (r tableRow) hit(shared, source string) Hit {
	cell := func(name string) string {
		ofAll, _ := find(shared, name)
		ofSource, _ := find(source, name)
		return cmp.Or(r.text(name), ofAll, ofSource)
	}
	hit := Hit{
		ID: r.lead("id"), Stream: cell("stream"), Label: cell("display_name"), Title: cell("title"),
		Time: readTime(cell("time")), Text: cell("snippet"),
	}
	for _, excerpt := range members(r.get("evidence")) {
		hit.Field = cmp.Or(hit.Field, excerpt.name)
		previews := []string{excerpt.text()}
		_ = json.Unmarshal([]byte(excerpt.value), &previews) // a single preview is not a list
		for _, preview := range previews {
			hit.Text = joined(hit.Text, preview)
		}
	}
	return hit
}

// namesIn returns the connection and the stream that an id shows.
func namesIn(id string) (connection, stream string) {
	if escaped, isURI := strings.CutPrefix(id, "pdpp://record/"); isURI {
		id, _ = url.PathUnescape(escaped) // empty if it is invalid
	}
	names, _, _ := strings.Cut(id, ":")
	if before, after, embedded := strings.Cut(names, "/"); embedded {
		return before, after
	}
	return "", names
}

// members are those of a JSON object, in their order.
func members(object json.RawMessage) []token {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if opened, err := decoder.Token(); err != nil || opened != json.Delim('{') {
		return nil
	}
	var found []token
	for decoder.More() {
		name, _ := decoder.Token()
		var value json.RawMessage
		if decoder.Decode(&value) != nil {
			break
		}
		found = append(found, token{name: fmt.Sprint(name), value: string(value)})
	}
	return found
}

func (h *Hits) readPaging(line string) {
	if cursor, ok := find(line, "next_cursor"); ok {
		h.Cursor = cursor
	}
	if more, ok := find(line, "has_more"); ok && strings.HasPrefix(line, "hits=") {
		h.HasMore = more == "true"
	}
}

// joined are two texts with a line each, unless one is empty or says nothing new.
func joined(text, more string) string {
	switch {
	case strings.Contains(text, more):
		return text
	case text == "":
		return more
	}
	return text + "\n" + more
}
