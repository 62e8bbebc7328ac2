package claims_test

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

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
		onSide := within.with()
		onSide.and(instant+" "+side+" julianday(?)", at)
		want, err := k.keys(onSide, " ORDER BY "+instant+" "+order+" LIMIT 1")
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
