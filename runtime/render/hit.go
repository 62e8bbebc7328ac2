package render

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
)

// Bounds of one hit.
const (
	snippetCharacters = 240
	evidencePerHit    = 3
)

// hit is one search result.
type hit struct {
	members rawjson.Object
	value   json.RawMessage // the members as they stand in the envelope
	identity
	title        string
	url          string
	connectorKey string
	displayName  string
	snippet      string // balanced, and clipped
	evidence     []evidence
	uris         []json.RawMessage // that were taken out of the members
}

// question is what a hit needs to know of the search.
type question struct {
	connectionID string
	provider     string
	terms        []string // the words of the query in lower case
}

func newQuestion(response *rs.Response, input SearchInput, provider string) question {
	q := question{connectionID: deref(input.ConnectionID), provider: provider}
	words, _ := response.Request.Query.Get("q")
	for _, word := range strings.Fields(strings.ToLower(words)) {
		if word = strings.Trim(word, `"'*()`); len(word) > 1 {
			q.terms = append(q.terms, word)
		}
	}
	return q
}

// newHit takes a hit apart that probably has the members of another one.
func newHit(value json.RawMessage, q question, other rawjson.Object) (*hit, bool) {
	members, ok := rawjson.ParseNested(value, other, nil)
	if !ok {
		return nil, false
	}
	h := &hit{members: members, value: value, identity: hitIdentity(members, q.connectionID)}
	if h.isRecord() {
		h.value = withoutURIs(value, 0, &h.uris)
		if !bytes.Equal(h.value, value) {
			h.members, _ = rawjson.ParseObject(h.value)
			members = h.members
		}
	}
	h.connectorKey = Clip(schemadoc.ConnectorKey(members), labelCharacters)
	h.displayName = Clip(members.FirstText("display_name", "label"), labelCharacters)
	h.snippet, _ = clipSnippet(highlight(snippetText(members), q.terms), snippetCharacters)
	h.evidence = h.findEvidence(q.terms)
	fields, _ := rawjson.ParseObject(members.Get("data"))
	h.title = title(members, fields, h.identity, h.displayName, h.matches())
	h.url = recordURL(members, fields, h.identity, q.provider)
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

// matches are the texts that show why the record was found.
func (h *hit) matches() []string {
	matches := []string{h.snippet}
	for _, evidence := range h.evidence {
		matches = append(matches, evidence.preview)
	}
	return matches
}

// isRecord tells whether the handle can be passed to fetch.
func (h *hit) isRecord() bool {
	return h.stream != "" && h.canFetch() && !recordid.IsURI(h.handle)
}

// snippetText is a snippet in either of its shapes: an object with a text, or a string.
func snippetText(members rawjson.Object) string {
	if snippet, ok := rawjson.ParseObject(members.Get("snippet")); ok {
		return snippet.FirstText("text", "preview_text")
	}
	return members.Text("snippet")
}
