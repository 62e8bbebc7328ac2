package host_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
)

// refusedMessages are invalid on every transport and in every revision.
var refusedMessages = []struct {
	name, message string
	code          int
	id            string
}{
	{"not JSON", `{"jsonrpc":`, -32700, "null"},
	{"nothing of JSON", `Content-Length: 10`, -32700, "null"},
	{"not UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"\xff\"}", -32700, "null"},
	{"a number", `42`, -32600, "null"},
	{"an empty batch", `[ ]`, -32600, "null"},
	{"no members", `{}`, -32600, "null"},
	{"another version", `{"jsonrpc":"1.0","id":7,"method":"ping"}`, -32600, "7"},
	{"no version", `{"id":"a","method":"ping"}`, -32600, `"a"`},
	{"a name in other letters", `{"jsonrpc":"2.0","id":7,"Method":"ping"}`, -32600, "7"},
	{"a method that is no text", `{"jsonrpc":"2.0","id":7,"method":1}`, -32600, "7"},
	{"a request with a result", `{"jsonrpc":"2.0","id":7,"method":"ping","result":{}}`, -32600, "7"},
	{"method twice", `{"jsonrpc":"2.0","id":7,"method":"tools/list","method":"ping"}`, -32600, "7"},
	{"method twice in two spellings", `{"jsonrpc":"2.0","id":7,"method":"ping","m\u0065thod":"ping"}`, -32600, "7"},
	{"an unknown member twice", `{"jsonrpc":"2.0","id":7,"method":"ping","x":1,"x":1}`, -32600, "7"},
	{
		"params twice", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"fetch"},"params":{"name":"schema"}}`,
		-32600, "7",
	},
	{
		"name twice", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"fetch","name":"schema"}}`, -32600,
		"7",
	},
	{"uri twice", `{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"pdpp://stream/a",` +
		`"uri":"pdpp://stream/b"}}`, -32600, "7"},
	{
		"_meta twice", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"_meta":{},"name":"fetch","_meta":{}}}`,
		-32600, "7",
	},
	{
		"a name in _meta twice",
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"fetch","_meta":{"a":1,"\u0061":2}}}`, -32600, "7",
	},
	{"many members and one twice", `{"jsonrpc":"2.0","id":7,"method":"ping","params":{` + manyMembers(40) +
		`,"m7":0}}`, -32600, "7"},
	{"id twice", `{"jsonrpc":"2.0","id":7,"id":7,"method":"ping"}`, -32600, "null"},
	{"a fraction as id", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, -32600, "null"},
	{"an id beyond 2^53", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, -32600, "null"},
	{"an id below -2^53", `{"jsonrpc":"2.0","id":-9007199254740993,"method":"ping"}`, -32600, "null"},
	{"an id that rounds to 2^53", `{"jsonrpc":"2.0","id":9007199254740992.1,"method":"ping"}`, -32600, "null"},
	{"a huge id", `{"jsonrpc":"2.0","id":1e23,"method":"ping"}`, -32600, "null"},
	{"an id that no reader holds", `{"jsonrpc":"2.0","id":1e999999999999999999999,"method":"ping"}`, -32600, "null"},
	{"null as id", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, -32600, "null"},
	{"true as id", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, -32600, "null"},
	{"an object as id", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, -32600, "null"},
	{"nested too deep in _meta", nestedIn(`"_meta":{"x":%s}`, 510), -32600, "7"},
	{"nested far too deep in _meta", nestedIn(`"_meta":{"x":%s}`, 9_000), -32600, "7"},
	{"nested too deep in arguments", nestedIn(`"arguments":{"x":%s}`, 510), -32600, "7"},
	{"nested deeper than can be read", nestedIn(`"arguments":{"x":%s}`, 100_000), -32600, "null"},
}

func manyMembers(count int) string {
	members := make([]string, count)
	for i := range members {
		members[i] = fmt.Sprintf(`"m%d":0`, i)
	}
	return strings.Join(members, ",")
}

// nestedIn returns a call with nested arrays inside three objects.
func nestedIn(place string, depth int) string {
	nested := strings.Repeat("[", depth) + strings.Repeat("]", depth)
	return `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"fetch",` + fmt.Sprintf(place, nested) + `}}`
}

// goodIDs are valid spellings of ids with their spelling in the response.
var goodIDs = [][2]string{
	{`0`, `0`},
	{`-0`, `0`},
	{`-7`, `-7`},
	{`5.0`, `5`},
	{`5.000e0`, `5`},
	{`50e-1`, `5`},
	{`1E2`, `100`},
	{`0e999`, `0`},
	{`""`, `""`},
	{`"1"`, `"1"`},
	{`9007199254740992`, `9007199254740992`},
	{`-9007199254740992`, `-9007199254740992`},
	{`9007199254740992.00`, `9007199254740992`},
	{`"\u0061\u00e9"`, `"aé"`},
}

// Covers R-STDIO-7: an invalid message is refused with its id, if any, and the session continues.
func TestRefusedMessagesOverStdio(t *testing.T) {
	for _, revision := range host.Revisions() {
		lines := begin(t, revision)
		for _, test := range refusedMessages {
			lines.send(test.message + "\n")
			if got, want := lines.next(), fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,`, test.id,
				test.code); !strings.HasPrefix(got, want) {
				t.Errorf("%s: %s is answered %.300s, want %s", revision, test.name, got, want)
			}
		}
		for _, id := range goodIDs {
			lines.send(strings.Replace(callOf("fetch", `{}`), `"id":1`, `"id":`+id[0], 1) + "\n")
			if got, want := lines.next(), `{"jsonrpc":"2.0","id":`+id[1]+`,"result":`; !strings.HasPrefix(got, want) {
				t.Errorf("%s: id %s is answered %.300s", revision, id[0], got)
			}
		}
		lines.checkOver()
	}
}

// Covers R-STDIO-7 over HTTP: the same verdicts.
func TestRefusedMessagesOverHTTP(t *testing.T) {
	h := newHosted(t, limited(host.Limits{PerSecond: 1e6, Burst: 1e6}))
	for _, revision := range host.Revisions() {
		for _, test := range refusedMessages {
			got := h.post(t, test.message, "Mcp-Protocol-Version", revision)
			checkRefusal(t, got, revision+": "+test.name, http.StatusBadRequest, test.code, test.id)
		}
		if revision >= newestRevision {
			continue
		}
		for _, id := range goodIDs {
			got := h.post(t, strings.Replace(callOf("fetch", `{}`), `"id":1`, `"id":`+id[0], 1),
				"Mcp-Protocol-Version", revision)
			if want := `{"jsonrpc":"2.0","id":` + id[1] + `,"result":`; got.status != 200 || !strings.HasPrefix(got.body, want) {
				t.Errorf("%s: id %s is answered %d %.300s", revision, id[0], got.status, got.body)
			}
		}
	}
	if seen := h.rs.seen(); len(seen) != len(goodIDs)*(len(host.Revisions())-1) {
		t.Errorf("the RS saw %d requests", len(seen))
	}
}

// checkRefusal checks a refusal, over HTTP with the members of every refusal.
func checkRefusal(t *testing.T, got answered, name string, status, code int, id string) {
	t.Helper()
	var body struct {
		ID    json.RawMessage `json:"id"`
		Error struct {
			Code    int       `json:"code"`
			Message string    `json:"message"`
			Data    httpError `json:"data"`
		} `json:"error"`
	}
	if err := json.Unmarshal([]byte(got.body), &body); err != nil || got.header.Get("Content-Type") != "application/json" {
		t.Fatalf("%s: answer is %d %s (%v)", name, got.status, got.body, err)
	}
	if got.status != status || body.Error.Code != code || string(body.ID) != id || body.Error.Message == "" {
		t.Errorf("%s: answer is %d %s, want %d, %d with id %s", name, got.status, got.body, status, code, id)
	}
	if data := body.Error.Data; data.Code != "invalid_request" || data.RequestID == "" ||
		data.RequestID != got.header.Get("Request-Id") {
		t.Errorf("%s: data is %+v, the request's id %q", name, data, got.header.Get("Request-Id"))
	}
}

// Covers R-HOST-1: an unknown method gets -32601 with the id of its request in every revision, over HTTP and stdio. An
// unknown notification is accepted.
func TestUnknownMethods(t *testing.T) {
	h := newHosted(t)
	for _, revision := range host.Revisions() {
		lines := begin(t, revision)
		for _, id := range []string{`7`, `"a"`} {
			body, header := message(revision, "nothing/at-all", "", "")
			body = strings.Replace(body, `"id":1`, `"id":`+id, 1)
			lines.send(body + "\n")
			want := `"id":` + id + `,"error":{"code":-32601,`
			if got := lines.next(); !strings.Contains(got, want) {
				t.Errorf("%s over stdio: %s", revision, got)
			}
			got := h.post(t, body, header...)
			if status := map[bool]int{true: 404, false: 200}[revision >= newestRevision]; got.status != status ||
				!strings.Contains(got.body, want) {
				t.Errorf("%s over HTTP: %d %s", revision, got.status, got.body)
			}
			body = strings.Replace(body, `"id":`+id+`,`, "", 1)
			if got := h.post(t, body, header...); got.status != 202 || got.body != "" {
				t.Errorf("%s: a notification is answered %d %s", revision, got.status, got.body)
			}
		}
		lines.checkOver()
	}
}

// Requests that the SDK would refuse without their id are refused with it.
func TestMessagesInTheWrongForm(t *testing.T) {
	h := newHosted(t)
	for _, revision := range host.Revisions() {
		for _, test := range []struct {
			body string
			id   string
		}{
			{`{"jsonrpc":"2.0","id":7,"method":"tools/call"}`, "7"},
			{`{"jsonrpc":"2.0","id":"r","method":"resources/read"}`, `"r"`},
			{`{"jsonrpc":"2.0","id":7,"method":"notifications/initialized"}`, "7"},
			{`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"fetch"}}`, "null"},
		} {
			got := h.post(t, test.body, "Mcp-Protocol-Version", revision, "Mcp-Method", "tools/call", "Mcp-Name", "fetch")
			checkRefusal(t, got, revision+" "+test.body, http.StatusBadRequest, -32600, test.id)
		}
	}
}

// A duplicate header of MCP is refused, because a proxy may read the other value.
func TestRepeatedHeadersAreRefused(t *testing.T) {
	h := newHosted(t)
	for _, name := range []string{"Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name", "Mcp-Session-Id", "Mcp-Param-Stream"} {
		got := h.post(t, callOf("fetch", `{}`), name, "2025-06-18", name, "2025-06-18")
		checkRefusal(t, got, name, http.StatusBadRequest, -32600, "1")
	}
	if seen := h.rs.seen(); len(seen) > 0 {
		t.Errorf("the RS saw %d requests", len(seen))
	}
}

// Covers R-STDIO-7 over HTTP: each message of a batch of 2025-03-26 is answered in order. Later revisions have no
// batches.
func TestBatchesOverHTTP(t *testing.T) {
	h := newHosted(t)
	batch := "[" + strings.Join([]string{
		strings.Replace(callOf("fetch", `{}`), `"id":1`, `"id":"a"`, 1), ping,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":3,"method":"nothing"}`, `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `7`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/call"}`,
	}, ",") + "]"
	for _, header := range [][]string{
		nil,
		{"Mcp-Protocol-Version", "2025-03-26"},
		{"Mcp-Protocol-Version", "2024-11-05"},
	} {
		got := h.post(t, batch, header...)
		var answers []struct {
			ID    json.RawMessage
			Error struct{ Code int }
		}
		if err := json.Unmarshal([]byte(got.body), &answers); err != nil || got.status != 200 {
			t.Fatalf("%v: %d %s", header, got.status, got.body)
		}
		var codes []string
		for _, answer := range answers {
			codes = append(codes, fmt.Sprint(string(answer.ID), " ", answer.Error.Code))
		}
		if all := strings.Join(codes, ", "); all != `"a" 0, 1 0, 3 -32601, null -32600, null -32600, 4 -32600` {
			t.Errorf("%v: answers are %s", header, all)
		}
		if got := h.post(t, `[{"jsonrpc":"2.0","method":"notifications/initialized"}]`, header...); got.status != 202 ||
			got.body != "" {
			t.Errorf("%v: a batch of notifications is answered %d %s", header, got.status, got.body)
		}
		checkRefusal(t, h.post(t, "["+ping+","+strings.Replace(ping, `"id":1`, `"id":1.0`, 1)+"]", header...), "one id twice",
			400, -32600, "null")
	}
	for _, revision := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		checkRefusal(t, h.post(t, "["+ping+"]", "Mcp-Protocol-Version", revision), revision, 400, -32600, "null")
	}
}

// stalled is a body that is never sent. It reports when the server begins to read it.
type stalled struct {
	begun chan<- struct{}
	end   <-chan struct{}
	once  sync.Once
}

func (s *stalled) Read([]byte) (int, error) {
	s.once.Do(func() { s.begun <- struct{}{} })
	<-s.end
	return 0, io.ErrUnexpectedEOF
}

// stall sends requests with stalled bodies until the test ends. It returns when the server reads all of them.
func (h *hosted) stall(t *testing.T, tokens int, each int) {
	t.Helper()
	begun, end := make(chan struct{}), make(chan struct{})
	var requests sync.WaitGroup
	t.Cleanup(func() { close(end); requests.Wait() })
	for i := range tokens * each {
		token := fmt.Sprintf("token-of-a-caller-%d", i%tokens)
		h.as.says(token, `{"active":true,"pdpp_token_kind":"client"}`)
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, h.url+"/mcp",
			&stalled{begun: begun, end: end})
		request.ContentLength = host.MaxRequestBody
		request.Header.Set("Authorization", "Bearer "+token)
		requests.Go(func() { h.ServeHTTP(httptest.NewRecorder(), request) })
	}
	for range tokens * each {
		<-begun
	}
}

// Covers R-HOST-9: no body is read for a token at its limit of running requests.
func TestBodiesAreReadWithinTheLimit(t *testing.T) {
	h := newHosted(t, limited(host.Limits{Concurrent: 2, PerSecond: 1e6, Burst: 1e6}))
	h.stall(t, 1, 2)
	begun := make(chan struct{}, 1)
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, h.url+"/mcp", &stalled{begun: begun})
	request.Header.Set("Authorization", "Bearer token-of-a-caller-0")
	recorder := httptest.NewRecorder()
	h.ServeHTTP(recorder, request)
	if recorder.Code != 429 || errorOf(t, recorder.Body.String()).Code != "rate_limit_exceeded" || len(begun) > 0 {
		t.Errorf("answer is %d %s, %d bodies were begun", recorder.Code, recorder.Body, len(begun))
	}
}

// Covers R-HOST-9: the bodies of all callers in memory are limited.
func TestBodiesAreBoundedInAll(t *testing.T) {
	h := newHosted(t)
	h.stall(t, 16, 16) // 256 KiB each: 64 MiB
	if got := h.post(t, ping); got.status != 429 || got.header.Get("Retry-After") != "1" {
		t.Errorf("answer is %d %s", got.status, got.body)
	}
}
