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
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
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

// conversation checks that the calls for the conversation return exactly its records, with the record itself: the mails
// of a thread, the answers to a chat message with the message, and otherwise what was said in the channel on that day.
func (k *checking) conversation(read document, data map[string]any) error {
	selected := k.truth(k.granted, k.connection)
	switch k.granted.Name {
	case "messages":
		thread, isGranted := k.value(data, "thread_id")
		if !isGranted || thread == nil {
			return nil
		}
		selected.and("data->>'thread_id' = ?", thread)
	case "chat_messages":
		root, isGranted := k.value(data, "thread_root_id")
		if root == nil {
			root = k.key
		}
		thread := "coalesce(data->>'thread_root_id', key) = ?"
		count, err := k.truth(k.granted, k.connection).and(thread, root).count(k.ctx)
		if err != nil {
			return err
		}
		_, hasCount := k.value(data, "reply_count")
		channel, inChannel := k.value(data, "channel_id")
		sent, isTimed := k.value(data, "sent_at")
		switch {
		case isGranted && (data["thread_root_id"] != nil || count > 1 || !hasCount):
			selected.and(thread, root)
		case inChannel && isTimed && (!isGranted || data["reply_count"] == 0.0):
			selected.and("data->>'channel_id' = ? AND abs(julianday(data->>'sent_at') - julianday(?)) <= 0.5", channel, sent)
		default:
			return nil
		}
	default:
		return nil
	}
	want, err := k.keys(selected, "")
	if err != nil {
		return err
	}
	if read.Metadata.Conversation == nil && len(want) > 1 {
		k.report(wrongConversation, "it offers no conversation, of %d records", len(want))
		return nil
	}
	if read.Metadata.Conversation == nil {
		return nil
	}
	got := k.walkAll(read.Metadata.Conversation)
	own := k.handle(k.granted.Name, k.key)
	if data["thread_root_id"] == nil && !slices.Contains(got, own) { // the answers to the record that is shown
		got = append(got, own)
		slices.Sort(got)
	}
	if !slices.Equal(got, want) {
		k.report(wrongConversation, "%v has %q, not %q", read.Metadata.Conversation, got, want)
	}
	return k.missing(read.Metadata.Conversation)
}

// missing checks that a fetched record that is refused is one that the grant does not cover.
func (k *checking) missing(calls []offered) error {
	if k.refused == nil {
		return nil
	}
	for _, call := range calls {
		target, err := targetOf(call)
		if call.Tool != "fetch" || err != nil {
			continue
		}
		for _, granted := range k.streams {
			if granted.Name != target.Stream {
				continue
			}
			count, err := k.truth(granted, k.connection).and("key = ?", target.RecordID).count(k.ctx)
			if err != nil {
				return err
			}
			if count > 0 {
				k.report(wrongOffer, "%s is refused: %s", call, k.refused)
			}
		}
	}
	k.refused = nil
	return nil
}

// neighbours checks that the calls for what is near return the records just before and after this one: in its thread,
// in its channel, or in its stream.
func (k *checking) neighbours(read document, data map[string]any) error {
	field := k.stream(k.granted.Name).ConsentTimeField
	at, isGranted := k.value(data, field)
	if !isGranted || at == nil {
		return nil
	}
	if read.Metadata.Near == nil {
		k.report(wrongNear, "it offers no neighbours")
		return nil
	}
	within := k.truth(k.granted, k.connection)
	for _, group := range []string{"thread_id", "channel_id"} {
		if value, isGranted := k.value(data, group); isGranted && value != nil {
			within.and("data->>'"+group+"' = ?", value)
		}
	}
	instant := "julianday(data->>'" + field + "')"
	var got []string
	for _, call := range read.Metadata.Near { // the neighbours are on the first page
		_, structured, isAnswered := k.call(k.ctx, call.Tool, call.Arguments)
		if !isAnswered {
			k.report(wrongOffer, "%s is refused", call)
		}
		page := checking{claims: structuredClaims(structured), structured: structured}
		got = append(got, page.handles()...)
	}
	for side, order := range map[string]string{"<": "DESC", ">": "ASC"} {
		beside := within.with()
		beside.and(instant+" "+side+" julianday(?)", at)
		want, err := k.keys(beside, " ORDER BY "+instant+" "+order+" LIMIT 1")
		if err != nil {
			return err
		}
		if len(want) > 0 && !slices.Contains(got, want[0]) {
			k.report(wrongNear, "%v lacks %s", read.Metadata.Near, want[0])
		}
	}
	if !slices.Contains(got, k.handle(k.granted.Name, k.key)) {
		k.report(wrongNear, "%v lacks the record", read.Metadata.Near)
	}
	return nil
}

// related checks that each related call returns exactly the records with the foreign key, and that no related stream is
// missing that the schema declares or whose field has the name of the stream.
func (k *checking) related(read document, data map[string]any) error {
	for _, call := range read.Metadata.Related {
		stream, _ := call.Arguments["stream"].(string)
		filter, _ := call.Arguments["filter"].(map[string]any)
		if call.Tool == "fetch" {
			got, _ := k.walk(call)
			target, err := targetOf(call)
			isValue := err == nil && slices.ContainsFunc(k.stream(k.granted.Name).Fields, func(f catalog.Field) bool {
				value, isGranted := k.value(data, f.Name)
				return isGranted && value == target.RecordID
			})
			if !isValue || got != nil && !slices.Equal(got, []string{k.handle(target.Stream, target.RecordID)}) {
				k.report(wrongRelated, "%s returns %q", call, got)
			}
			continue
		}
		for _, granted := range k.streams {
			if granted.Name != stream || len(filter) != 1 {
				continue
			}
			selected := k.truth(granted, k.connection)
			for name := range filter {
				selected.and("data->>'"+name+"' = ?", k.key)
			}
			want, err := k.keys(selected, "")
			if err != nil {
				return err
			}
			if got := k.walkAll([]offered{call}); !slices.Equal(got, want) {
				k.report(wrongRelated, "%s returns %q, not %q", call, got, want)
			}
		}
	}
	return firstError(k.missing(read.Metadata.Related), k.unrelated(read))
}

// unrelated checks that related records are offered if there are any.
func (k *checking) unrelated(read document) error {
	own := k.stream(k.granted.Name)
	for _, granted := range k.streams {
		if granted.Name == own.Name || !slices.Contains(granted.ConnectionIDs, k.connection) {
			continue
		}
		for _, field := range k.stream(granted.Name).Fields {
			isDeclared := k.reads == resource.ReadsOpen && slices.ContainsFunc(own.Relations, func(r catalog.Relation) bool {
				return r.Target == granted.Name && r.ForeignKey == field.Name
			})
			isNamed := field.Name == strings.TrimSuffix(own.Name, "s")+"_id" && len(own.PrimaryKey) == 1
			isGranted := granted.Fields == nil || slices.Contains(granted.Fields, field.Name)
			if !isGranted || !isDeclared && !isNamed {
				continue
			}
			count, err := k.truth(granted, k.connection).and("data->>'"+field.Name+"' = ?", k.key).count(k.ctx)
			if err != nil {
				return err
			}
			isOf := func(o offered) bool { return o.Arguments["stream"] == granted.Name }
			if count > 0 && !slices.ContainsFunc(read.Metadata.Related, isOf) {
				k.report(wrongRelated, "%d %s with %s are not offered", count, granted.Name, field.Name)
			}
		}
	}
	return nil
}

// walked checks that the pages of a search show each hit once, and all that are counted: in each channel, and by the
// same calls (R-CLAIM-7).
func (k *checking) walked(matching []string) {
	var shown []string
	text, structured, isWhole := "", k.structured, false
	for page := range maxPages {
		own := checking{claims: structuredClaims(structured), structured: structured}
		shown = append(shown, own.hits...)
		if page > 0 {
			inText := checking{claims: textClaims(text)}
			if handles := inText.handles(); !slices.Equal(handles, own.hits) {
				k.report(wrongHits, "page %d has %q in text and %q in structured output", page+1, handles, own.hits)
			}
		}
		var read struct {
			Next []offered `json:"next"`
		}
		_ = json.Unmarshal(structured, &read) // without next, this is the last page
		i, isAnswered := slices.IndexFunc(read.Next, offered.leadsOn), false
		if isWhole = i < 0; isWhole {
			break
		}
		if text, structured, isAnswered = k.call(k.ctx, read.Next[i].Tool, read.Next[i].Arguments); !isAnswered {
			k.report(wrongHits, "%s is refused: %s", read.Next[i], text)
			return
		}
	}
	slices.Sort(shown)
	if once := slices.Compact(slices.Clone(shown)); len(once) != len(shown) {
		k.report(wrongHits, "%d of %d hits are shown twice", len(shown)-len(once), len(shown))
	}
	isOther := func(handle string) bool { return !slices.Contains(matching, handle) }
	isBounded := k.atLeast > 0 && len(shown) >= k.atLeast && !slices.ContainsFunc(shown, isOther) // it claims no more
	if slices.Sort(matching); isWhole && !isBounded && !slices.Equal(shown, matching) {
		k.report(wrongHits, "all pages have %d hits, of %d records", len(shown), len(matching))
	}
}
