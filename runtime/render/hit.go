package render

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Bounds of one hit.
const (
	snippetCharacters = 240
	ladderCharacters  = 32 // of an excerpt in content_ladder; results has it too
	evidencePerHit    = 3
)

// hit is one search result.
type hit struct {
	members rawjson.Object
	identity
	title        string
	ownTitle     string // the title that the source gave; empty when it is made of label, stream and time
	time         string // when it happened; the time of ingestion is another
	url          string
	connectorKey string
	displayName  string
	snippet      string // balanced, and clipped; empty when it is one of the excerpts
	evidence     []evidence
	source       rawjson.Object    // where it comes from
	cells        rawjson.Object    // of the text
	uris         []json.RawMessage // that were taken out of the members
	byMeaning    bool              // the provider found it by meaning, and not by its words
}

// question is what a hit needs to know of the search.
type question struct {
	connectionID string
	provider     string
	mode         string
	words        string
	terms        []string // the words of the query in lower case
}

func newQuestion(response *rs.Response, input SearchInput, provider string) question {
	q := question{connectionID: deref(input.ConnectionID), provider: provider, mode: modeOf(response.Request)}
	q.words, _ = response.Request.Query.Get("q")
	for _, word := range strings.Fields(strings.ToLower(q.words)) {
		if word = strings.Trim(word, `"'*()`); len(word) > 1 {
			q.terms = append(q.terms, word)
		}
	}
	return q
}

// newHit parses a hit. It is false for a value that is not an object.
func newHit(value json.RawMessage, q question) (*hit, bool) {
	members, ok := rawjson.ParseObject(value)
	if !ok {
		return nil, false
	}
	h := &hit{identity: hitIdentity(members, q.connectionID)}
	if h.isRecord() {
		members, _ = rawjson.ParseObject(withoutURIs(value, 0, &h.uris))
	}
	h.members = members
	h.connectorKey = tool.Clip(schemadoc.ConnectorKey(members), tool.LabelCharacters)
	h.displayName = tool.Clip(members.FirstText("display_name", "label"), tool.LabelCharacters)
	h.evidence = h.findEvidence(q)
	snippet, _ := clipSnippet(highlight(snippetText(members), q.terms), snippetCharacters)
	fields, _ := rawjson.ParseObject(members.Get("data"))
	shown := []string{snippet}
	for _, each := range h.evidence {
		shown = append(shown, each.preview)
	}
	if !slices.Contains(shown[1:], snippet) {
		h.snippet = snippet
	}
	h.time = inUTC(authoredTime(members, fields))
	h.ownTitle = ownTitle(members, fields, shown)
	h.title = cmp.Or(h.ownTitle, madeTitle(h.identity, h.displayName, dayOf(timeInTitle(h.time, members)), shown))
	if sources, ok := rawjson.Elements(members.Get("retrieval_sources")); ok {
		h.byMeaning = !slices.ContainsFunc(sources, func(name rawjson.Value) bool { return rawjson.TextOf(name) == lexicalMode })
	}
	h.url = recordURL(members, fields, h.identity, q.provider)
	h.describe()
	return h, true
}

// hitIdentity finds what names the record. Ids that are no record handles stay as they are
// (R-HAND-1).
func hitIdentity(members rawjson.Object, connectionID string) identity {
	if sent := members.FirstText("connection_id", "connector_instance_id"); sent != "" {
		connectionID = sent
	}
	stream, recordID := members.Text("stream"), members.FirstText("record_key", "record_id")
	if stream != "" && recordID != "" {
		return newIdentity(connectionID, stream, recordID)
	}
	id := members.Text("id")
	for _, name := range []string{"record_uri", "uri", "id", "record_url", "url"} {
		if uri, err := recordid.ParseURI(members.Text(name)); err == nil && uri.Kind == recordid.KindRecord {
			return newIdentity(cmp.Or(uri.Record.ConnectionID, connectionID), uri.Record.Stream, uri.Record.RecordID)
		}
	}
	if handle, err := recordid.Parse(id); err == nil {
		return newIdentity(cmp.Or(handle.ConnectionID, connectionID), handle.Stream, handle.RecordID)
	}
	if stream != "" && id != "" && !strings.Contains(id, "://") {
		return newIdentity(connectionID, stream, id)
	}
	return identity{connectionID: connectionID, stream: stream, handle: id}
}

// isRecord reports whether the handle can be passed to fetch.
func (h *hit) isRecord() bool {
	return h.stream != "" && h.canFetch() && (h.formed || !recordid.IsURI(h.handle))
}

// snippetText is a snippet in either of its shapes: an object with a text, or a string.
func snippetText(members rawjson.Object) string {
	if snippet, ok := rawjson.ParseObject(members.Get("snippet")); ok {
		return snippet.FirstText("text", "preview_text")
	}
	return members.Text("snippet")
}

// describe finds what a hit says of where it comes from, and what a text shows of it beside its id.
func (h *hit) describe() {
	h.cells = nil
	h.source = withText(nil, "connection_id", h.connectionID)
	h.source = withText(h.source, "connector_key", h.connectorKey)
	h.source = withText(h.source, "stream", h.stream)
	h.source = withText(h.source, "display_name", h.displayName)
	if len(h.evidence) > 0 {
		h.cells = append(h.cells, rawjson.Raw("evidence", h.textEvidence()))
	}
	h.cells = withText(h.cells, "snippet", h.snippet)
	h.cells = withText(h.cells, "title", h.ownTitle)
	h.cells = withText(h.cells, "time", h.time)
	for _, member := range h.source {
		said := member.Name == "connection_id" && h.embedded || member.Name == "stream" && h.shows(h.stream)
		if !said { // by the id (R-SEARCH-4)
			h.cells = append(h.cells, member)
		}
	}
	if h.cells == nil && h.stream != "" { // a row has a column beside its id
		h.cells = rawjson.Object{rawjson.String("stream", h.stream)}
	}
}

// sourceNames are what a hit says of where it comes from, in the order in which a text has it.
var sourceNames = []string{"stream", "connection_id", "connector_key", "display_name"}

// write writes the hit into both channels: into structured.results (R-SEARCH-5), and as a row of the text, which has a null in
// every column that the hit has nothing for (R-SEARCH-4).
func (h *hit) write(columns rawjson.Object) pageRow {
	object := rawjson.Object{rawjson.String("id", h.handle), rawjson.String("title", h.title), rawjson.String("url", h.url)}
	object = append(object, h.source...)
	object = withText(object, "record_id", h.recordID)
	object = withText(object, "time", h.time)
	object = withText(object, "snippet", h.snippet)
	if len(h.evidence) > 0 {
		object = append(object, rawjson.Raw("evidence", h.structuredEvidence()))
	}
	text := textRow{lead: object[:1], fields: make(rawjson.Object, len(columns)), calls: h.calls()}
	for i, column := range columns {
		text.fields[i] = rawjson.Raw(column.Name, json.RawMessage("null"))
		if value := h.cells.Get(column.Name); value != nil {
			text.fields[i].Value = value
		}
	}
	return pageRow{text: text.text(columns), structured: object.Encode()}
}

// calls continue the excerpts that are not the whole field. A hit without an excerpt is fetched.
func (h *hit) calls() []Call {
	var calls []Call
	for _, each := range h.evidence {
		if !each.complete {
			calls = append(calls, each.read)
		}
	}
	if len(h.evidence) == 0 && h.isRecord() {
		return []Call{h.fetch()}
	}
	return calls
}

// ladderEntry returns the hit in structured.content_ladder: its id and a few words of its evidence, from the match on.
func (h *hit) ladderEntry() json.RawMessage {
	object := rawjson.Object{rawjson.String("id", h.handle)}
	if len(h.evidence) > 0 {
		text := h.evidence[0].preview
		if match := strings.Index(text, openMark); match > 0 && len(plain(text)) > ladderCharacters {
			text = text[match:]
		}
		object = append(object, rawjson.String("preview", strings.TrimSpace(tool.Clip(plain(text), ladderCharacters))))
	}
	return object.Encode()
}
