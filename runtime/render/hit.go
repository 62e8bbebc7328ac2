package render

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Bounds of one hit.
const (
	snippetCharacters = 240
	ladderCharacters  = 32 // of an excerpt in content_ladder; results has it too
	excerptsPerHit    = 3
)

// hit is a hit with the values that a result shows. An empty text is not shown.
type hit struct {
	identity
	answer.Hit
	title        string
	ownTitle     string // the source's title; empty if the title is made of other values
	author       string
	container    string
	amount       string
	state        string         // the field by which the record is a draft or the like (R-CLAIM-5); empty: none
	time         string         // when it happened, not when it was collected
	added        string         // when it was collected, if nothing says when it happened
	fields       rawjson.Object // of its record, as far as they are known
	url          string
	connectorKey string
	displayName  string
	snippet      string // empty if it is one of the excerpts
	excerpts     []excerpt
	uris         []json.RawMessage // removed from the members
	byMeaning    bool              // the provider found it by meaning, not by its words
	isUnread     bool              // its record has more than the hit, and was not read (R-CLAIM-6)
}

// question has the arguments of the search that the rendering of a hit needs.
type question struct {
	answer.Question
	provider     string
	terms        []string // the words in lower case
	clippedWords string
}

func newQuestion(hits *answer.Hits) *question {
	q := &question{Question: hits.Question, provider: hits.ProviderURL, clippedWords: tool.Clip(hits.Question.Words, groupCharacters)}
	for _, word := range strings.Fields(strings.ToLower(q.Words)) {
		if word = strings.Trim(word, `"'*()`); len(word) > 1 {
			q.terms = append(q.terms, word)
		}
	}
	return q
}

func newHit(sent answer.Hit, q *question) *hit {
	h := &hit{identity: hitIdentity(sent.Members, q.ConnectionID), Hit: sent}
	if h.isRecord() {
		h.removeURIs()
	}
	h.connectorKey = tool.Clip(schemadoc.ConnectorKey(h.Members), tool.LabelCharacters)
	h.displayName = tool.Clip(h.Members.FirstText("display_name", "label"), tool.LabelCharacters)
	h.excerpts = h.findExcerpts(q)
	snippet := snippetText(h.Members)
	if !slices.ContainsFunc(h.excerpts, func(each excerpt) bool { return each.sent == snippet }) {
		h.snippet, _, _ = shownSnippet(snippet, q.terms)
	}
	if slices.ContainsFunc(h.excerpts, func(each excerpt) bool { return each.preview == h.snippet }) {
		h.snippet = ""
	}
	fields, _ := rawjson.ParseObject(h.Members.Get("data"))
	h.url = recordURL(h.Members, fields, h.identity, q.provider)
	if sources, ok := rawjson.Elements(h.Members.Get("retrieval_sources")); ok {
		h.byMeaning = !slices.ContainsFunc(sources, func(name rawjson.Value) bool { return rawjson.TextOf(name) == lexicalMode })
	}
	h.isUnread = h.Record == nil && h.isRecord() && lacksDetails(h.Members, fields)
	if h.Record != nil {
		fields = h.Record
	}
	h.describe(fields)
	return h
}

// removeURIs removes resource URIs from the members and collects them.
func (h *hit) removeURIs() {
	if !slices.ContainsFunc(h.Members, func(member rawjson.Member) bool { return mayHoldURI(member.Value) }) {
		return
	}
	kept := make(rawjson.Object, 0, len(h.Members))
	for _, member := range h.Members {
		if member.Value = withoutURIs(member.Value, 1, &h.uris); member.Value != nil {
			kept = append(kept, member)
		}
	}
	h.Members = kept
}

// describe sets the values by which a reader judges the hit, from the hit and the fields of its record (R-FIND-4). It
// leaves out values that a shown text repeats.
func (h *hit) describe(fields rawjson.Object) {
	h.fields = fields
	var shown shownTexts
	shown.add(h.snippet)
	for _, each := range h.excerpts {
		shown.add(each.preview)
	}
	h.time = inUTC(cmp.Or(authoredTime(h.Members, fields), h.EventTime))
	if h.time == "" && !h.isUnread {
		h.added = h.Members.Text("emitted_at")
	}
	h.ownTitle = ownTitle(h.Members, fields, shown)
	h.author = roleText(tool.AuthorRole, h.Members, fields)
	h.container = roleText(tool.ContainerRole, h.Members, fields)
	h.amount = amountText(h.Members, fields)
	for _, field := range fields {
		if tool.StateRole.Has(field.Name) && string(field.Value) == "true" {
			h.state = field.Name
		}
	}
	if h.title = h.ownTitle; h.title == "" {
		h.title = madeTitle(h.identity, h.displayName, h.container, h.author, dayOf(timeInTitle(h.time, h.Members)), shown)
	}
	for _, value := range []*string{&h.author, &h.container} {
		if *value == h.ownTitle || *value != "" && shown.repeat(*value) {
			*value = ""
		}
	}
}

// lacksDetails reports whether a hit lacks the author or the title of its record.
func lacksDetails(members, fields rawjson.Object) bool {
	return roleText(tool.AuthorRole, members, fields) == "" || roleText(tool.TitleRole, members, fields) == ""
}

// RecordToRead returns the record that has the author or the title that a hit lacks, or false (R-FIND-4).
func RecordToRead(sent answer.Hit, connectionID string) (recordid.Handle, bool) {
	id := hitIdentity(sent.Members, connectionID)
	fields, _ := rawjson.ParseObject(sent.Members.Get("data"))
	if !id.isRecord() || !lacksDetails(sent.Members, fields) {
		return recordid.Handle{}, false
	}
	return recordid.Handle{ConnectionID: id.connectionID, Stream: id.stream, RecordID: id.recordID}, true
}

// LacksEventTime reports whether neither a hit nor its record says when it happened. It is false without the record.
func LacksEventTime(sent answer.Hit) bool {
	return sent.Record != nil && authoredTime(sent.Members, sent.Record) == ""
}

// hitIdentity returns the identity of the record. Ids that are not record handles are unchanged (R-HAND-1).
func hitIdentity(members rawjson.Object, connectionID string) identity {
	connectionID = cmp.Or(members.FirstText(wire.ConnectionID, "connector_instance_id"), connectionID)
	stream, recordID := members.Text(wire.Stream), members.FirstText("record_key", wire.RecordID)
	if stream != "" && recordID != "" {
		return newIdentity(connectionID, stream, recordID)
	}
	for _, name := range []string{"record_uri", "uri", wire.ID, "record_url", "url"} {
		if uri, err := recordid.ParseURI(members.Text(name)); err == nil && uri.Kind == recordid.KindRecord {
			return newIdentity(cmp.Or(uri.Record.ConnectionID, connectionID), uri.Record.Stream, uri.Record.RecordID)
		}
	}
	id := members.Text(wire.ID)
	if handle, err := recordid.Parse(id); err == nil {
		return newIdentity(cmp.Or(handle.ConnectionID, connectionID), handle.Stream, handle.RecordID)
	}
	if stream != "" && id != "" && !strings.Contains(id, "://") {
		return newIdentity(connectionID, stream, id)
	}
	return identity{connectionID: connectionID, stream: stream, handle: id}
}

func (id identity) isRecord() bool {
	return id.stream != "" && id.canFetch() && (id.formed || !recordid.IsURI(id.handle))
}

// snippetText returns a snippet of either shape: an object with a text, or a string.
func snippetText(members rawjson.Object) string {
	snippet := members.Get("snippet")
	if rawjson.Kind(snippet) == rawjson.ObjectValue {
		object := rawjson.NewCursor(snippet)
		return cmp.Or(rawjson.TextOf(object.Member("text")), rawjson.TextOf(object.Member("preview_text")))
	}
	return rawjson.TextOf(snippet)
}

// mayHoldURI reports whether a value may have a resource URI. An escape of one of its letters begins with \u00.
func mayHoldURI(value rawjson.Value) bool {
	return bytes.Contains(value, []byte("pdpp:")) || bytes.Contains(value, []byte(`\u00`))
}
