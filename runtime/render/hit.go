package render

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/render/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// Bounds of one hit.
const (
	titleCharacters   = 160
	snippetCharacters = 240
	evidencePerHit    = 3
)

// hit is one search result.
type hit struct {
	members rawjson.Object
	identity
	title        string
	url          string
	connectorKey string
	displayName  string
	snippet      string // balanced, and clipped
	evidence     []evidence
}

// question is what a hit needs to know of the search.
type question struct {
	mode         *string
	connectionID string
	provider     string
	terms        []string // the words of the query in lower case
}

func newQuestion(response *rs.Response, input SearchInput, provider string) question {
	q := question{mode: input.Mode, connectionID: deref(input.ConnectionID), provider: provider}
	words, _ := response.Request.Query.Get("q")
	for _, word := range strings.Fields(strings.ToLower(words)) {
		if word = strings.Trim(word, `"'*()`); len(word) > 1 {
			q.terms = append(q.terms, word)
		}
	}
	return q
}

func newHit(value json.RawMessage, q question) (*hit, bool) {
	members, ok := rawjson.ParseObject(value)
	if !ok {
		return nil, false
	}
	h := &hit{members: members, identity: hitIdentity(members, q.connectionID)}
	h.connectorKey, _ = Clip(ConnectorKey(members), labelCharacters)
	h.displayName, _ = Clip(members.FirstText("display_name", "label"), labelCharacters)
	h.snippet, _ = clipSnippet(highlight(snippetText(members), q.terms), snippetCharacters)
	h.evidence = h.findEvidence(q.terms)
	fields, _ := rawjson.ParseObject(members.Get("data"))
	h.title = title(members, fields, h.stream, h.displayName, unmarked(h.snippet))
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
	if uri, err := recordid.ParseURI(members.FirstText("record_uri", "uri")); err == nil && uri.Kind == recordid.KindRecord {
		return newIdentity(firstOf(uri.Record.ConnectionID, connectionID), uri.Record.Stream, uri.Record.RecordID)
	}
	if handle, err := recordid.Parse(id); err == nil {
		return newIdentity(firstOf(handle.ConnectionID, connectionID), handle.Stream, handle.RecordID)
	}
	if stream != "" && id != "" && !strings.Contains(id, "://") {
		return newIdentity(connectionID, stream, id)
	}
	return identity{connectionID: connectionID, stream: stream, handle: id}
}

func firstOf(values ...string) string {
	for _, value := range values {
		if value != "" {
			return value
		}
	}
	return ""
}

// isRecord tells whether the handle can be passed to fetch.
func (h *hit) isRecord() bool {
	return h.stream != "" && h.handle != "" && !strings.Contains(h.handle, "://")
}

// snippetText is a snippet in either of its shapes: an object with a text, or a string.
func snippetText(members rawjson.Object) string {
	if snippet, ok := rawjson.ParseObject(members.Get("snippet")); ok {
		return snippet.FirstText("text", "preview_text")
	}
	return members.Text("snippet")
}

// Titles that sources give, the surest first.
var titleNames = []string{"title", "subject", "name", "headline", "summary"}

// title is a title for people (R-SEARCH-7): the source's own, unless it repeats the snippet, else
// label, stream and time.
func title(members, fields rawjson.Object, stream, label, snippet string) string {
	for _, from := range []rawjson.Object{members, fields} {
		own := strings.TrimSpace(unmarked(markTags.ReplaceAllString(from.FirstText(titleNames...), "")))
		if own != "" && !repeats(own, snippet) && !strings.HasPrefix(own, "pdpp://") {
			clipped, _ := Clip(own, titleCharacters)
			return clipped
		}
	}
	var parts []string
	for _, part := range []string{label, stream, eventTime(members, fields)} {
		if clipped, _ := Clip(part, labelCharacters); clipped != "" {
			parts = append(parts, clipped)
		}
	}
	return strings.Join(parts, " / ")
}

// repeats tells whether a title says no more than the snippet.
func repeats(title, snippet string) bool {
	return snippet != "" && strings.Contains(strings.ToLower(snippet), strings.ToLower(title))
}

// The source's own address of a record.
var urlNames = []string{"url", "html_url", "permalink", "web_url", "link", "canonical_url", "source_url", "href"}

const urlCharacters = 2_000 // a longer address is not one that a client opens

// recordURL is an absolute address of the record: the source's own when the record has one, else the
// record under the provider's public origin (R-FETCH-5).
func recordURL(members, fields rawjson.Object, id identity, provider string) string {
	for _, from := range []rawjson.Object{fields, members} {
		for _, name := range urlNames {
			if own := from.Text(name); openable(own) {
				return own
			}
		}
	}
	if id.stream == "" || id.recordID == "" {
		if openable(id.handle) {
			return id.handle
		}
		return ""
	}
	address := provider + string(rs.JoinPath("v1", "streams", id.stream, "records", id.recordID))
	if id.connectionID != "" {
		address += "?connection_id=" + url.QueryEscape(id.connectionID)
	}
	return address
}

func openable(address string) bool {
	if len(address) > urlCharacters || !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "https://") {
		return false
	}
	parsed, err := url.Parse(address)
	return err == nil && parsed.Host != ""
}
