package claims_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// document is what fetch returns, in either channel.
type document struct {
	ID, Title, Text string
	Metadata        struct {
		ConnectionID string    `json:"connection_id"`
		RecordID     string    `json:"record_id"`
		Stream       string    `json:"stream"`
		Next         []offered `json:"next"`
		Conversation []offered `json:"conversation"`
		Near         []offered `json:"near"`
		Related      []offered `json:"related"`
	}
}

// offered is a call that a result offers.
type offered struct {
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments"`
	Kind      string         `json:"kind"`
}

func (o offered) String() string { return o.Tool + " " + encode(o.Arguments) }

// targetOf returns the record that a call fetches.
func targetOf(call offered) (recordid.Handle, error) {
	id := fmt.Sprint(call.Arguments["id"])
	if uri, err := recordid.ParseURI(id); err == nil {
		return uri.Record, nil
	}
	return recordid.Parse(id)
}

// leadsOn reports whether the call continues a list.
func (o offered) leadsOn() bool { return o.Kind == "" || o.Kind == "page" }

// drawDocument draws a record, in full or some of its fields.
func (c *caller) drawDocument(ctx context.Context, t *rapid.T, q question) question {
	q.tool, q.conditions = "fetch", nil
	isOther := func(s catalog.StreamGrant) bool { return s.Name != "messages" && s.Name != "chat_messages" }
	if talk := slices.DeleteFunc(slices.Clone(c.streams), isOther); len(talk) > 0 && rapid.Bool().Draw(t, "is talk") {
		q.granted = rapid.SampledFrom(talk).Draw(t, "talk")
		q.connection = rapid.SampledFrom(q.granted.ConnectionIDs).Draw(t, "account")
	}
	covered := c.truth(q.granted, q.connection)
	count, err := covered.count(ctx)
	if err != nil || count == 0 {
		q.tool = "schema"
		return q
	}
	place := rapid.IntRange(0, count-1).Draw(t, "record")
	keys, err := covered.rows(ctx, "key, ''", fmt.Sprintf(" ORDER BY key LIMIT 1 OFFSET %d", place))
	if err != nil || len(keys) == 0 {
		q.tool = "schema"
		return q
	}
	q.key = keys[0][0]
	q.arguments = map[string]any{"id": q.handle(q.granted.Name, q.key)}
	if fields := c.filterable(q.granted); len(fields) > 0 && rapid.IntRange(0, 4).Draw(t, "is narrow") == 0 {
		q.arguments["fields"] = []string{rapid.SampledFrom(fields).Draw(t, "shown").Name}
	}
	return q
}

// handle returns the handle of a record of the question's connection.
func (q question) handle(stream, key string) string {
	return recordid.Handle{ConnectionID: q.connection, Stream: stream, RecordID: key}.ID()
}

// document checks the fields of one record, and that each call it offers leads to what it is said to lead to.
func (k *checking) document() error {
	var read, other document
	err := cmp.Or(json.Unmarshal([]byte(k.said()), &read), json.Unmarshal(k.structured, &other))
	if err != nil || !reflect.DeepEqual(read, other) {
		k.report(wrongDocument, "the channels differ, or are not JSON: %v", err)
		return nil //nolint:nilerr // it is a finding
	}
	found, err := k.truth(k.granted, k.connection).and("key = ?", k.key).rows(k.ctx, "data, key", "")
	if err != nil || len(found) != 1 {
		return err
	}
	var data map[string]any
	if err := json.Unmarshal([]byte(found[0][0]), &data); err != nil {
		return err
	}
	k.fields(read, data)
	if k.channel == "text" { // the calls of both channels are the same
		return nil
	}
	if _, isNarrow := k.arguments["fields"]; isNarrow {
		if offers := slices.Concat(read.Metadata.Conversation, read.Metadata.Near, read.Metadata.Related); offers != nil {
			k.report(wrongDocument, "a call for some fields offers %v", offers)
		}
		return nil
	}
	if _, isGranted := k.value(data, "id"); isGranted && data["id"] != nil && read.Metadata.RecordID != k.key {
		k.report(wrongDocument, "record_id is %q", read.Metadata.RecordID)
	}
	return firstError(k.parts(read, data), k.conversation(read, data), k.neighbours(read, data), k.related(read, data))
}

// value returns the value of a field, and whether the grant covers the field.
func (k *checking) value(data map[string]any, name string) (any, bool) {
	isGranted := k.granted.Fields == nil || slices.Contains(k.granted.Fields, name)
	isField := func(f catalog.Field) bool { return f.Name == name }
	return data[name], isGranted && slices.ContainsFunc(k.stream(k.granted.Name).Fields, isField)
}

// fields checks that a document shows the granted fields with their values, and no others.
func (k *checking) fields(read document, data map[string]any) {
	shown, isNarrow := k.arguments["fields"].([]string)
	for _, field := range k.stream(k.granted.Name).Fields {
		value, isGranted := k.value(data, field.Name)
		isAsked := isGranted && (!isNarrow || slices.Contains(shown, field.Name))
		hasLine := strings.HasPrefix(read.Text, field.Name+":") || strings.Contains(read.Text, "\n"+field.Name+":")
		text, isText := value.(string)
		switch {
		case !isAsked && hasLine && !k.repeats(data, "\n"+field.Name+":"):
			k.report(wrongDocument, "it shows %s", field.Name)
		case !isAsked || value == nil:
		case !hasLine:
			k.report(wrongDocument, "it lacks %s", field.Name)
		case !isText || len(text) >= 200 || strings.ContainsAny(text, "\n<&"): // it may be clipped or converted
		case !strings.Contains("\n"+read.Text+"\n", "\n"+field.Name+": "+text+"\n"):
			k.report(wrongDocument, "it lacks %s=%q", field.Name, text)
		}
	}
}

// repeats reports whether a text of the record holds what looks like the line of a field.
func (k *checking) repeats(data map[string]any, line string) bool {
	for _, value := range data {
		if text, isText := value.(string); isText && strings.Contains(text, line) {
			return true
		}
	}
	return false
}

// parts checks that the rest of each clipped value can be read.
func (k *checking) parts(read document, data map[string]any) error {
	for _, call := range read.Metadata.Next {
		path, _ := call.Arguments["field_path"].(string)
		text, isText := data[path].(string)
		if call.Tool != "read_record_field" || !isText {
			if _, _, isAnswered := k.call(k.ctx, call.Tool, call.Arguments); !isAnswered {
				k.report(wrongOffer, "next is refused: %s", call)
			}
			continue
		}
		start, _ := call.Arguments["offset_chars"].(float64)
		if rest := k.walkField(call); !strings.HasPrefix(string([]rune(text)[int(start):]), rest) || rest == "" {
			k.report(wrongOffer, "%s has not the rest of %s", call, path)
		}
	}
	return nil
}

// maxPages is the maximum number of pages of one walk.
const maxPages = 60

// walkField returns the text of a window and of those after it.
func (k *checking) walkField(call offered) (text string) {
	for range maxPages {
		_, structured, isAnswered := k.call(k.ctx, call.Tool, call.Arguments)
		if !isAnswered {
			k.report(wrongOffer, "the next window is refused: %s", call)
			return text
		}
		var read struct {
			Window struct {
				Text string `json:"text"`
			} `json:"window"`
			Next []offered `json:"next"`
		}
		_ = json.Unmarshal(structured, &read) // without a window, the text is too short
		text += read.Window.Text
		i := slices.IndexFunc(read.Next, func(o offered) bool { return o.Tool == call.Tool })
		if i < 0 {
			return text
		}
		call = read.Next[i]
	}
	return text
}

// walk returns the handles of the records that a call and its next pages return.
func (k *checking) walk(call offered) (handles []string, isWhole bool) {
	if call.Tool == "fetch" {
		text, structured, isAnswered := k.call(k.ctx, call.Tool, call.Arguments)
		var read document
		if !isAnswered || json.Unmarshal(structured, &read) != nil {
			k.refused = append(k.refused, text)
			return nil, true
		}
		return []string{read.ID}, true
	}
	for range maxPages {
		text, structured, isAnswered := k.call(k.ctx, call.Tool, call.Arguments)
		if !isAnswered {
			k.report(wrongOffer, "%s is refused: %s", call, text)
			return handles, true
		}
		page := checking{claims: structuredClaims(structured), structured: structured}
		handles = append(handles, page.handles()...)
		var read struct {
			Next []offered `json:"next"`
		}
		_ = json.Unmarshal(structured, &read) // without next, this is the last page
		i := slices.IndexFunc(read.Next, offered.leadsOn)
		if i < 0 {
			return handles, true
		}
		call = read.Next[i]
	}
	return handles, false
}

// walkAll returns the handles that all of the calls return, sorted.
func (k *checking) walkAll(calls []offered) (handles []string) {
	for _, call := range calls {
		found, _ := k.walk(call)
		handles = append(handles, found...)
	}
	slices.Sort(handles)
	return slices.Compact(handles)
}

// keys returns the handles of the records of a selection, sorted.
func (k *checking) keys(selected *truth, rest string) ([]string, error) {
	found, err := selected.rows(k.ctx, "key, ''", rest)
	if err != nil {
		return nil, err
	}
	handles := make([]string, len(found))
	for i, row := range found {
		handles[i] = k.handle(selected.granted.Name, row[0])
	}
	slices.Sort(handles)
	return handles, nil
}
