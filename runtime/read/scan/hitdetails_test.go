package scan_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// shelf is a resource server with hits that say little, and their records.
type shelf struct {
	hits    []string
	records map[string]string // the fields of a record, by its path below /v1/streams/

	streams    string // of the schema; empty: a chat
	indexState string // of the lexical index
	tokenKind  string // of the bearer; empty: of one grant

	mu    sync.Mutex
	asked []string
}

func (s *shelf) ProviderURL() string { return provider }

func (s *shelf) Get(_ context.Context, request rs.Request) (*rs.Response, error) {
	s.mu.Lock()
	s.asked = append(s.asked, string(request.Path))
	s.mu.Unlock()
	body := `{"object":"list","has_more":false,"data":[` + strings.Join(s.hits, ",") + `]}`
	switch path, isRecord := strings.CutPrefix(string(request.Path), "/v1/streams/"); {
	case request.Path == "/v1/schema":
		body = `{"bearer":{"token_kind":"` + s.tokenKind + `"},"connectors":[{"connector_key":"chat","granted_connections":[{"connection_id":"cin_1"}],"streams":[` +
			cmp.Or(s.streams, `{"name":"chat","field_capabilities":{"text":"t=text,lex","ts":"t=string,role=event-time"}}`) +
			`]}]}`
	case request.Path == "/v1/streams":
		body = `{"object":"list","data":[{"name":"files","record_count":21},{"name":"mails",` +
			`"record_count":7},{"name":"files","record_count":10}]}`
	case request.Path == "/.well-known/oauth-protected-resource":
		body = fmt.Sprintf(`{"capabilities":{"lexical_retrieval":{"index_state":%q},`+
			`"semantic_retrieval":{"index_state":"built"}}}`, s.indexState)
	case isRecord && s.records[path] == "":
		return nil, &rs.Error{Status: 404, Code: "not_found", Message: "no such record"}
	case isRecord:
		body = `{"id":"1","stream":"chat","connection_id":"cin_1","data":` + s.records[path] + `}`
	}
	return rs.Response{Status: 200, Request: request}.WithBody([]byte(body))
}

// search returns the hits as structured output has them, and the text.
func (s *shelf) search(t *testing.T, arguments string) (hits []map[string]json.RawMessage, text string) {
	t.Helper()
	structured, text := s.found(t, arguments)
	var shown struct{ Results []map[string]json.RawMessage }
	if err := json.Unmarshal([]byte(structured), &shown); err != nil {
		t.Fatal(err)
	}
	return shown.Results, text
}

// found returns both channels of a search.
func (s *shelf) found(t *testing.T, arguments string) (structured, text string) {
	t.Helper()
	for _, definition := range gen.Surface().Tools {
		if definition.Name != "search" {
			continue
		}
		result, err := definition.Run(t.Context(), tool.Env{RS: s}, json.RawMessage(arguments))
		if err != nil {
			t.Fatal(err)
		}
		return string(result.Structured), result.Text
	}
	t.Fatal("no search")
	return "", ""
}

func bareHit(key int) string {
	return fmt.Sprintf(`{"stream":"chat","record_key":"%d","connection_id":"cin_1","emitted_at":"2026-05-01T00:00:00Z",`+
		`"snippet":"word %d"}`, key, key)
}

// R-CLAIM-6, R-FIND-4: the records of the first five hits are read, and a value that was not read differs from one that
// a record lacks.
func TestUnreadValues(t *testing.T) {
	s := &shelf{records: map[string]string{}}
	for key := range 7 {
		s.hits = append(s.hits, bareHit(key))
		s.records[fmt.Sprintf("chat/records/%d", key)] = `{"author":"Priya","sent_at":"2026-02-03T00:00:00Z"}`
	}
	hits, text := s.search(t, `{"q":"word"}`)
	for i, hit := range hits {
		isUnread := string(hit["unread"]) == "true"
		if isUnread != (i >= 5) || (hit["author"] == nil) != isUnread {
			t.Errorf("hit %d: %s", i, hit)
		}
	}
	for _, want := range []string{
		`columns: ["id","snippet","author","time"]`, `["cin_1/chat:4","word 4","Priya","2026-02-03T00:00:00Z"]`,
		`["cin_1/chat:5","word 5",{},{}]`,
		"{} was not read: fetch shows it.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %s:\n%s", want, text)
		}
	}
	s.records["chat/records/0"] = `{"sent_at":"2026-02-03T00:00:00Z"}`
	if _, text = s.search(t, `{"q":"word"}`); !strings.Contains(text,
		`["cin_1/chat:0","word 0",null,"2026-02-03T00:00:00Z"]`) {
		t.Errorf("a record without an author:\n%s", text)
	}
	s.asked = nil
	if hits, _ = s.search(t, `{"q":"word","cursor":"c1"}`); len(s.asked) != 1 || string(hits[0]["unread"]) != "true" {
		t.Errorf("a later page reads %q", s.asked)
	}
}

// R-FIND-4: hits of one record cost one read.
func TestARecordIsReadOnce(t *testing.T) {
	s := &shelf{hits: []string{bareHit(1), bareHit(1), bareHit(2)}, records: map[string]string{
		"chat/records/1": `{"author":"Priya","sent_at":"2026-02-03"}`,
		"chat/records/2": `{"author":"Sam","sent_at":"2026-02-03"}`,
	}}
	hits, _ := s.search(t, `{"q":"word"}`)
	if reads := strings.Count(strings.Join(s.asked, " "), "/records/"); reads != 2 ||
		string(hits[0]["author"]) != `"Priya"` || string(hits[1]["author"]) != `"Priya"` ||
		string(hits[2]["author"]) != `"Sam"` {
		t.Errorf("asked %q for %s", s.asked, hits)
	}
}

// R-FIND-4, R-SEARCH-4: the time of a hit is of the field with that role in the schema. Without one, the hit shows when
// it was collected, as another member.
func TestTimesOfHits(t *testing.T) {
	s := &shelf{hits: []string{bareHit(1), bareHit(2)}, records: map[string]string{
		"chat/records/1": `{"author":"Priya","ts":"2026-02-03T00:00:00Z"}`, "chat/records/2": `{"author":"Sam"}`,
	}}
	hits, text := s.search(t, `{"q":"word"}`)
	if string(hits[0]["time"]) != `"2026-02-03T00:00:00Z"` || hits[0]["emitted_at"] != nil {
		t.Errorf("the first hit: %s", hits[0])
	}
	if hits[1]["time"] != nil || string(hits[1]["emitted_at"]) != `"2026-05-01T00:00:00Z"` ||
		!strings.Contains(text, `"Sam","added 2026-05-01T00:00:00Z"]`) {
		t.Errorf("the second hit: %s\n%s", hits[1], text)
	}
	if schemas := strings.Count(strings.Join(s.asked, " "), "/v1/schema"); schemas != 1 {
		t.Errorf("asked %q", s.asked)
	}
}

// R-SEARCH-9: if the resource server sends more hits than were requested, the first are shown, with a warning and the
// call for the others.
func TestMoreHitsThanRequested(t *testing.T) {
	s := &shelf{}
	for key := range 200 {
		s.hits = append(s.hits, bareHit(key))
	}
	hits, text := s.search(t, `{"q":"word","limit":7}`)
	if len(hits) != 7 || !strings.Contains(text, `message="the resource server sent 200 hits for limit 7"`) ||
		!strings.Contains(text, "next: search ") {
		t.Errorf("%d hits\n%s", len(hits), text)
	}
}

// R-CLAIM-5: a hit shows that its record is a draft, in both channels, and no other hit has a state.
func TestHitsThatAreDrafts(t *testing.T) {
	for _, reads := range resource.AllReads() {
		c := newCaller(sandboxOf(t, reads, "everything"), 20_000)
		result, err := c.try(t, "search", `{"q":"second alto radiator","streams":["messages"],"limit":2}`)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(result.Text, `,"is_draft",`) != 1 || strings.Count(string(result.Structured), `"state":"is_draft"`) != 1 {
			t.Errorf("%s:\n%s\n%s", reads, result.Text, result.Structured)
		}
	}
}
