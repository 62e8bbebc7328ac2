package blind

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Structured reads structured output.
type Structured struct{}

var _ Channel = Structured{}

// calls are the continuations in a member next.
type calls []struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

func (c calls) list() []Call {
	var list []Call
	for _, call := range c {
		list = append(list, Call{call.Tool, string(call.Arguments)})
	}
	return list
}

type schemaResult struct {
	Data struct {
		Connectors []struct {
			Key         string             `json:"connector_key"`
			Connections []schemaConnection `json:"granted_connections"`
			Streams     []schemaStream     `json:"streams"`
		} `json:"connectors"`
	} `json:"data"`
	Legend struct {
		Flags string `json:"field_capabilities"`
		Sort  string `json:"sort"`
	} `json:"legend"`
}

type schemaConnection struct {
	ID    string `json:"connection_id"`
	Label string `json:"display_name"`

	Streams json.RawMessage `json:"streams"` // its own, in an index
}

type schemaStream struct {
	Name        string             `json:"name"`
	CursorField string             `json:"cursor_field"`
	Flags       map[string]string  `json:"field_capabilities"`
	Connections []schemaConnection `json:"granted_connections"`

	// Seen are examples of unadvertised fields, by the kind of value.
	Seen map[string]map[string]json.RawMessage `json:"fields_seen"`
}

// UnmarshalJSON reads a row, or a name alone, as an index has it.
func (s *schemaStream) UnmarshalJSON(encoded []byte) error {
	if json.Unmarshal(encoded, &s.Name) == nil {
		return nil
	}
	type row schemaStream
	return json.Unmarshal(encoded, (*row)(s))
}

// Index reads the streams of each connector. A stream that lists no connections has the connector's.
func (Structured) Index(seen string) ([]Source, error) {
	var result schemaResult
	if err := json.Unmarshal([]byte(seen), &result); err != nil {
		return nil, err
	}
	var sources []Source
	for _, connector := range result.Data.Connectors {
		for _, connection := range connector.Connections {
			sources = append(sources, streamNames(connection.Streams).of(Source{
				ConnectionID: connection.ID, ConnectorKey: connector.Key, Label: connection.Label,
			})...)
		}
		for _, stream := range connector.Streams {
			connections := stream.Connections
			if connections == nil {
				connections = connector.Connections
			}
			for _, connection := range connections {
				sources = append(sources, Source{stream.Name, connection.ID, connector.Key, connection.Label})
			}
		}
	}
	if len(sources) == 0 {
		return nil, errNoSources
	}
	return sources, nil
}

// streamNames are the names of streams: an array, or an object that has more of each.
type streamNames json.RawMessage

// of returns the streams of a source.
func (n streamNames) of(source Source) []Source {
	var names []string
	if json.Unmarshal(n, &names) != nil {
		var members map[string]json.RawMessage
		_ = json.Unmarshal(n, &members) // other values have no names
		names = slices.Sorted(maps.Keys(members))
	}
	return source.each(names)
}

// Stream reads the first row of the document, and its legend, which explains the members of a row.
func (Structured) Stream(seen string) (Stream, error) {
	var result schemaResult
	if err := json.Unmarshal([]byte(seen), &result); err != nil {
		return Stream{}, err
	}
	row, found := result.row()
	if !found {
		return Stream{}, errNoFields
	}
	stream := Stream{Legend: parseLegend(result.Legend.Flags)}
	for name, flags := range row.Flags {
		stream.Fields = append(stream.Fields, Field{name, parseFlags(flags)})
	}
	for _, examples := range row.Seen {
		for name := range examples {
			stream.Fields = append(stream.Fields, Field{name, parseFlags("declared")})
		}
	}
	slices.SortFunc(stream.Fields, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	if row.CursorField != "" {
		stream.Sorts = impliedSorts(result.Legend.Sort, row.CursorField)
	}
	return stream, nil
}

// row returns the first of the document.
func (s schemaResult) row() (schemaStream, bool) {
	for _, connector := range s.Data.Connectors {
		if len(connector.Streams) > 0 {
			return connector.Streams[0], true
		}
	}
	return schemaStream{}, false
}

// impliedSorts reads a legend such as
//
//	cursor_field f implies sort "f" or "-f"; …
//
// with the cursor field in place of f.
func impliedSorts(legend, cursorField string) []string {
	standsFor, implied, found := strings.Cut(legend, " implies sort ")
	if !found {
		return nil
	}
	implied, _, _ = strings.Cut(implied, ";")
	placeholder := standsFor[strings.LastIndex(standsFor, " ")+1:]
	var sorts []string
	for _, shown := range quotedWords(implied) {
		sorts = append(sorts, strings.Replace(shown, placeholder, cursorField, 1))
	}
	return sorts
}

type recordsResult struct {
	Data struct {
		Rows []struct {
			sentRow
			Next calls `json:"next"`
		} `json:"data"`
		HasMore  bool   `json:"has_more"`
		Cursor   string `json:"next_cursor"`
		Bookmark string `json:"next_changes_since"`
		Meta     struct {
			Count struct {
				Kind  string `json:"kind"`
				Value int    `json:"value"`
			} `json:"count"`
		} `json:"meta"`
	} `json:"data"`
	Next calls `json:"next"`
}

// Page reads the envelope and its rows.
func (Structured) Page(seen string) (Page, error) {
	var result recordsResult
	if err := json.Unmarshal([]byte(seen), &result); err != nil {
		return Page{}, err
	}
	data := result.Data
	page := Page{
		HasMore: data.HasMore, Cursor: data.Cursor, Bookmark: data.Bookmark,
		Count: -1, Next: result.Next.list(),
	}
	if data.Meta.Count.Kind == "exact" {
		page.Count = data.Meta.Count.Value
	}
	for _, sent := range data.Rows {
		sent.sentRow.Next = sent.Next.list()
		page.Rows = append(page.Rows, sent.row())
	}
	return page, nil
}

// Aggregate reads the envelope.
func (Structured) Aggregate(seen string) (Aggregate, error) {
	var result struct {
		Data struct {
			Value  json.RawMessage `json:"value"`
			Others int             `json:"other_count"`
			Groups []struct {
				Key   json.RawMessage `json:"key"`
				Count int             `json:"count"`
			} `json:"groups"`
		} `json:"data"`
	}
	if err := json.Unmarshal([]byte(seen), &result); err != nil {
		return Aggregate{}, err
	}
	aggregate := Aggregate{Value: result.Data.Value, Others: result.Data.Others}
	for _, group := range result.Data.Groups {
		aggregate.Groups = append(aggregate.Groups, Group(group))
	}
	if aggregate.Value == nil && aggregate.Groups == nil {
		return aggregate, errNoValue
	}
	return aggregate, nil
}

// Hits reads results, and how to page from the envelope.
func (Structured) Hits(seen string) (Hits, error) {
	var result struct {
		Results []struct {
			ID       string `json:"id"`
			Stream   string `json:"stream"`
			Label    string `json:"display_name"`
			Time     string `json:"time"`
			Title    string `json:"title"`
			Snippet  string `json:"snippet"`
			Evidence []struct {
				Field   string `json:"field_path"`
				Preview string `json:"preview"`
			} `json:"evidence"`
		} `json:"results"`
		Data struct {
			HasMore bool   `json:"has_more"`
			Cursor  string `json:"next_cursor"`
		} `json:"data"`
		Next calls `json:"next"`
	}
	if err := json.Unmarshal([]byte(seen), &result); err != nil {
		return Hits{}, err
	}
	hits := Hits{HasMore: result.Data.HasMore, Cursor: result.Data.Cursor, Next: result.Next.list()}
	for _, found := range result.Results {
		hit := Hit{
			ID: found.ID, Stream: found.Stream, Label: found.Label,
			Title: found.Title, Text: found.Snippet, Time: readTime(found.Time),
		}
		for _, evidence := range found.Evidence {
			hit.Text, hit.Field = joined(hit.Text, evidence.Preview), cmp.Or(hit.Field, evidence.Field)
		}
		hits.List = append(hits.List, hit)
	}
	return hits, nil
}

// Document reads the document.
func (Structured) Document(seen string) (Document, error) { return readDocument(seen) }

func readDocument(seen string) (Document, error) {
	var document struct {
		ID       string `json:"id"`
		Text     string `json:"text"`
		Metadata struct {
			Next calls `json:"next"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal([]byte(seen), &document); err != nil {
		return Document{}, fmt.Errorf("%w: %w", errNoDocument, err)
	}
	return Document{ID: document.ID, Text: document.Text, Next: document.Metadata.Next.list()}, nil
}

// Window reads the window.
func (Structured) Window(seen string) (Window, error) {
	var result struct {
		Window struct {
			Text    string `json:"text"`
			Total   int    `json:"total_chars"`
			HasMore bool   `json:"has_more"`
		} `json:"window"`
		Next calls `json:"next"`
	}
	if err := json.Unmarshal([]byte(seen), &result); err != nil {
		return Window{}, err
	}
	return Window{
		Text: result.Window.Text, Total: result.Window.Total, HasMore: result.Window.HasMore, Next: result.Next.list(),
	}, nil
}

// Refusal reads the member error.
func (Structured) Refusal(seen string) (Refusal, bool) {
	var result struct {
		Error errorObject `json:"error"`
	}
	if json.Unmarshal([]byte(seen), &result) != nil || result.Error.Code == "" {
		return Refusal{}, false
	}
	return result.Error.refusal(), true
}

// errorObject is the error object of both channels.
type errorObject struct {
	Code        string             `json:"code"`
	Message     string             `json:"message"`
	Param       string             `json:"param"`
	RetryWith   string             `json:"retry_with"`
	Connections []schemaConnection `json:"available_connections"`
	Next        []struct {
		Label     string `json:"label"`
		Arguments struct {
			ConnectionID string `json:"connection_id"`
		} `json:"arguments"`
	} `json:"next"`
}

func (e errorObject) refusal() Refusal {
	refusal := Refusal{Code: e.Code, Message: e.Message, Param: e.Param, RetryWith: e.RetryWith}
	for _, connection := range e.Connections {
		refusal.Connections = append(refusal.Connections, Source{ConnectionID: connection.ID, Label: connection.Label})
	}
	if e.Connections == nil { // the text has each candidate once, in its call
		for _, call := range e.Next {
			if id := call.Arguments.ConnectionID; id != "" {
				refusal.Connections = append(refusal.Connections, Source{ConnectionID: id, Label: call.Label})
			}
		}
	}
	return refusal
}
