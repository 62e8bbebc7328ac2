package render

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Bounds of one hit.
const (
	snippetCharacters = 240
	ladderCharacters  = 32 // of an excerpt in content_ladder; results has it too
	excerptsPerHit    = 3
)

type hit struct {
	identity
	members      rawjson.Object
	title        string
	ownTitle     string // the source's title; empty if the title is made of other values
	author       string
	container    string
	amount       string
	time         string         // when it happened, not when it was collected
	fields       rawjson.Object // of its record, as far as they are known
	url          string
	connectorKey string
	displayName  string
	snippet      string // empty if it is one of the excerpts
	excerpts     []excerpt
	uris         []json.RawMessage // removed from the members
	byMeaning    bool              // the provider found it by meaning, not by its words
	words        []string          // the words of a relaxed search that it matches
	cells        rawjson.Object    // the columns of the text
}

// question is what a hit needs to know of the search.
type question struct {
	connectionID string
	provider     string
	mode         string
	words        string
	terms        []string // the words in lower case
}

func newQuestion(response *rs.Response, input SearchInput, provider string) question {
	q := question{connectionID: deref(input.ConnectionID), provider: provider, mode: lexicalMode}
	switch response.Request.Path.Route().Template {
	case rs.SemanticRoute:
		q.mode = semanticMode
	case rs.HybridRoute:
		q.mode = hybridMode
	}
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
	h.excerpts = h.findExcerpts(q)
	snippet, _ := convertExcerpt(highlight(snippetText(members), q.terms))
	h.snippet, _ = clipSnippet(snippet, snippetCharacters)
	if slices.ContainsFunc(h.excerpts, func(each excerpt) bool { return each.preview == h.snippet }) {
		h.snippet = ""
	}
	fields, _ := rawjson.ParseObject(members.Get("data"))
	h.describe(fields)
	h.url = recordURL(members, fields, h.identity, q.provider)
	if sources, ok := rawjson.Elements(members.Get("retrieval_sources")); ok {
		h.byMeaning = !slices.ContainsFunc(sources, func(name rawjson.Value) bool { return rawjson.TextOf(name) == lexicalMode })
	}
	h.fillCells()
	return h, true
}

// describe sets the values by which a reader judges the hit, from the hit and the fields of its record (R-FIND-4). It leaves out values
// that a shown text repeats.
func (h *hit) describe(fields rawjson.Object) {
	h.fields = fields
	shown := []string{h.snippet}
	for _, each := range h.excerpts {
		shown = append(shown, each.preview)
	}
	h.time = inUTC(authoredTime(h.members, fields))
	h.ownTitle = ownTitle(h.members, fields, shown)
	h.author = roleText(tool.AuthorRole, h.members, fields)
	h.container = roleText(tool.ContainerRole, h.members, fields)
	h.amount = roleText(tool.AmountRole, h.members, fields)
	h.title = cmp.Or(h.ownTitle, madeTitle(h.identity, h.displayName, h.container, h.author, dayOf(timeInTitle(h.time, h.members)), shown))
	for _, value := range []*string{&h.author, &h.container} {
		if *value == h.ownTitle || *value != "" && repeats(*value, shown) {
			*value = ""
		}
	}
}

// hitIdentity returns the identity of the record. Ids that are not record handles are unchanged (R-HAND-1).
func hitIdentity(members rawjson.Object, connectionID string) identity {
	connectionID = cmp.Or(members.FirstText("connection_id", "connector_instance_id"), connectionID)
	stream, recordID := members.Text("stream"), members.FirstText("record_key", "record_id")
	if stream != "" && recordID != "" {
		return newIdentity(connectionID, stream, recordID)
	}
	for _, name := range []string{"record_uri", "uri", "id", "record_url", "url"} {
		if uri, err := recordid.ParseURI(members.Text(name)); err == nil && uri.Kind == recordid.KindRecord {
			return newIdentity(cmp.Or(uri.Record.ConnectionID, connectionID), uri.Record.Stream, uri.Record.RecordID)
		}
	}
	id := members.Text("id")
	if handle, err := recordid.Parse(id); err == nil {
		return newIdentity(cmp.Or(handle.ConnectionID, connectionID), handle.Stream, handle.RecordID)
	}
	if stream != "" && id != "" && !strings.Contains(id, "://") {
		return newIdentity(connectionID, stream, id)
	}
	return identity{connectionID: connectionID, stream: stream, handle: id}
}

func (h *hit) isRecord() bool {
	return h.stream != "" && h.canFetch() && (h.formed || !recordid.IsURI(h.handle))
}

// snippetText returns a snippet of either shape: an object with a text, or a string.
func snippetText(members rawjson.Object) string {
	if snippet, ok := rawjson.ParseObject(members.Get("snippet")); ok {
		return snippet.FirstText("text", "preview_text")
	}
	return members.Text("snippet")
}

const wordsName = "words"

// sourceNames are the members that describe the source of a hit, in the order of the text.
var sourceNames = []string{"stream", "connection_id", "connector_key", "display_name"}

func (h *hit) source() rawjson.Object {
	return rawjson.Texts("connection_id", h.connectionID, "connector_key", h.connectorKey, "stream", h.stream, "display_name", h.displayName)
}

// roles returns the values by which a reader judges the hit, besides its title and texts.
func (h *hit) roles() rawjson.Object {
	return rawjson.Texts("author", h.author, "container", h.container, "amount", h.amount, "time", h.time)
}

// fillCells sets the columns that the text shows next to the id (R-SEARCH-4).
func (h *hit) fillCells() {
	h.cells = nil
	if h.words != nil {
		h.cells = append(h.cells, rawjson.Strings(wordsName, h.words))
	}
	if len(h.excerpts) > 0 {
		h.cells = append(h.cells, rawjson.Raw("evidence", textEvidence(h.excerpts)))
	}
	h.cells = withText(h.cells, "snippet", h.snippet, "title", h.ownTitle)
	h.cells = append(h.cells, h.roles()...)
	for _, member := range h.source() {
		isInID := member.Name == "connection_id" && h.embedded || member.Name == "stream" && h.shows(h.stream)
		if !isInID {
			h.cells = append(h.cells, member)
		}
	}
	if h.cells == nil && h.stream != "" { // a row needs a column next to its id
		h.cells = rawjson.Object{rawjson.String("stream", h.stream)}
	}
}

// write appends the hit for structured.results (R-SEARCH-5), and as a row of the text with null in every column without a value.
func (h *hit) write(text, structured []byte, columns rawjson.Object) (newText, newStructured []byte) {
	object := rawjson.Object{rawjson.String("id", h.handle), rawjson.String("title", h.title), rawjson.String("url", h.url)}
	object = append(object, h.source()...)
	object = append(withText(object, "record_id", h.recordID), h.roles()...)
	if h.words != nil {
		object = append(object, rawjson.Strings(wordsName, h.words))
	}
	object = withText(object, "snippet", h.snippet)
	if len(h.excerpts) > 0 {
		object = append(object, rawjson.Raw("evidence", structuredEvidence(h.excerpts)))
	}
	row := textRow{lead: object[0], fields: make(rawjson.Object, len(columns)), calls: h.calls()}
	for i, column := range columns {
		row.fields[i] = rawjson.Raw(column.Name, orNull(h.cells.Get(column.Name)))
	}
	return row.append(text, columns), object.Append(structured)
}

// calls returns the calls that continue the excerpts, except whole fields. A hit without an excerpt is fetched.
func (h *hit) calls() []answer.Call {
	if len(h.excerpts) == 0 && h.isRecord() {
		return []answer.Call{h.fetch()}
	}
	var calls []answer.Call
	for _, each := range h.excerpts {
		if !each.isWhole {
			calls = append(calls, each.read)
		}
	}
	return calls
}

// ladderEntry returns the hit in structured.content_ladder: its id and the first words of its evidence, from the match on.
func (h *hit) ladderEntry() json.RawMessage {
	object := rawjson.Object{rawjson.String("id", h.handle)}
	if len(h.excerpts) > 0 {
		text := h.excerpts[0].preview
		if match := strings.Index(text, openMark); match > 0 && len(plain(text)) > ladderCharacters {
			text = text[match:]
		}
		object = append(object, rawjson.String("preview", strings.TrimSpace(tool.Clip(plain(text), ladderCharacters))))
	}
	return object.Encode()
}
