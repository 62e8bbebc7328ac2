package host_test

import (
	"encoding/json"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
)

// newestRevision has no handshake: every request names its revision in the header and in _meta.
const newestRevision = "2026-07-28"

// message returns a request of a revision with its headers.
func message(revision, method, name, params string) (body string, header []string) {
	members := []string{}
	if params != "" {
		members = append(members, params)
	}
	header = []string{"MCP-Protocol-Version", revision}
	if revision >= newestRevision {
		members = append(members, `"_meta":{"io.modelcontextprotocol/protocolVersion":"`+revision+`",`+
			`"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},`+
			`"io.modelcontextprotocol/clientCapabilities":{}}`)
		header = append(header, "Mcp-Method", method)
		if name != "" {
			header = append(header, "Mcp-Name", name)
		}
	}
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + strings.Join(members, ",") + `}}`, header
}

// resultOf returns the result of a response.
func resultOf(t *testing.T, got answered) map[string]json.RawMessage {
	t.Helper()
	var decoded struct {
		Result map[string]json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal([]byte(got.body), &decoded); err != nil || got.status != http.StatusOK ||
		decoded.Result == nil {
		t.Fatalf("answer is %d %s, want a result", got.status, got.body)
	}
	return decoded.Result
}

// Covers R-HOST-1: every revision of the SDK, on one endpoint and without a session.
func TestEveryRevision(t *testing.T) {
	h := newHosted(t)
	for _, revision := range host.Revisions() {
		t.Run(revision, func(t *testing.T) {
			if revision < newestRevision {
				body, _ := message(revision, "initialize", "",
					`"protocolVersion":"`+revision+`","capabilities":{},"clientInfo":{"name":"test","version":"1"}`)
				got := h.post(t, body)
				if version := string(resultOf(t, got)["protocolVersion"]); version != `"`+revision+`"` {
					t.Errorf("revision is %s", version)
				}
				if session := got.header.Get("Mcp-Session-Id"); session != "" {
					t.Errorf("session is %q, want none", session)
				}
			} else {
				body, header := message(revision, "server/discover", "", "")
				if instructions := string(resultOf(t,
					h.post(t, body, header...))["instructions"]); instructions != `"Start with schema."` {
					t.Errorf("instructions are %s", instructions)
				}
			}
			body, header := message(revision, "tools/list", "", "")
			got := h.post(t, body, header...)
			if list := string(resultOf(t, got)["tools"]); strings.Count(list, `"inputSchema":`+string(objectSchema)) != 3 {
				t.Errorf("tools are %s", list)
			}
			if media := got.header.Get("Content-Type"); media != "application/json" {
				t.Errorf("media type is %q, want JSON", media)
			}
			body, header = message(revision, "tools/call", "fetch", `"name":"fetch","arguments":{"n":1.10}`)
			if content := string(resultOf(t,
				h.post(t, body, header...))["content"]); content != `[{"type":"text","text":"fetch {\"n\":1.10}"}]` {
				t.Errorf("content is %s", content)
			}
		})
	}
}

// A batch gets one response with a result for each message.
func TestBatch(t *testing.T) {
	h := newHosted(t)
	got := h.post(t, "["+strings.Replace(callOf("fetch", `{}`), `"id":1`, `"id":"a"`, 1)+","+
		strings.Replace(ping, `"id":1`, `"id":"b"`, 1)+"]",
		"MCP-Protocol-Version", "2025-03-26")
	var answers []struct{ ID string }
	if err := json.Unmarshal([]byte(got.body), &answers); err != nil || len(answers) != 2 {
		t.Errorf("answer is %d %s, want two", got.status, got.body)
	}
}

// There are no streams and no sessions.
func TestOtherMethodsNamePOST(t *testing.T) {
	h := newHosted(t)
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		got := send(t, h.request(t, method, "/mcp", "", "Authorization", "Bearer "+bearer))
		if got.status != http.StatusMethodNotAllowed || got.header.Get("Allow") != "POST" {
			t.Errorf("%s: answer is %d, Allow %q", method, got.status, got.header.Get("Allow"))
		}
	}
}

// A subscription is refused: it would hold a connection for changes that never happen.
func TestNoSubscriptions(t *testing.T) {
	h := newHosted(t)
	body, header := message(newestRevision, "subscriptions/listen", "", `"notifications":{"toolsListChanged":true}`)
	got := h.post(t, body, header...)
	if !strings.Contains(got.body, `-32601`) {
		t.Errorf("answer is %d %s, want method not found", got.status, got.body)
	}
}

// Covers R-HOST-6: the icon's URL begins with the origin that the client sees.
func TestIcon(t *testing.T) {
	h := newHosted(t)
	want := `[{"src":"` + h.url + `/icon.svg","mimeType":"image/svg+xml","sizes":["any"]}]`
	iconsOf := func(info json.RawMessage) string {
		var decoded struct{ Icons json.RawMessage }
		if err := json.Unmarshal(info, &decoded); err != nil {
			t.Fatalf("%s is no server info: %v", info, err)
		}
		return string(decoded.Icons)
	}
	body, _ := message("2025-11-25", "initialize", "",
		`"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}`)
	if diff := cmp.Diff(want, iconsOf(resultOf(t, h.post(t, body))["serverInfo"])); diff != "" {
		t.Errorf("initialize (-want +got):\n%s", diff)
	}
	for _, test := range [][3]string{
		{"server/discover", "", ""},
		{"tools/list", "", ""},
		{"tools/call", "fetch", `"name":"fetch"`},
	} {
		body, header := message(newestRevision, test[0], test[1], test[2])
		var meta map[string]json.RawMessage
		if err := json.Unmarshal(resultOf(t, h.post(t, body, header...))["_meta"], &meta); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, iconsOf(meta["io.modelcontextprotocol/serverInfo"])); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test[0], diff)
		}
	}
	body, header := message("2025-11-25", "tools/call", "fetch", `"name":"fetch"`)
	if got := h.post(t, body, header...); strings.Contains(got.body, "serverInfo") {
		t.Errorf("an older revision repeats who answers: %s", got.body)
	}
	if got := send(t, h.request(t, http.MethodGet, "/icon.svg", "")); got.status != 200 ||
		got.header.Get("Content-Type") != "image/svg+xml" {
		t.Errorf("the icon is %d %q", got.status, got.header.Get("Content-Type"))
	}
}

// Covers R-HOST-6: clients that see the server at different origins get the icon's URL at their origin.
func TestIconAtEachOrigin(t *testing.T) {
	h := newHosted(t, func(with *hostedWith) {
		with.options.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
		with.options.AllowedHosts = []string{"one.example", "other.example"}
	})
	for _, origin := range []string{"one.example", "other.example", "one.example"} {
		for _, test := range [][3]string{{"tools/list", "", ""}, {"tools/call", "fetch", `"name":"fetch"`}} {
			body, header := message(newestRevision, test[0], test[1], test[2])
			got := h.post(t, body, append(header, "X-Forwarded-Host", origin)...)
			if want := `"http://` + origin + `/icon.svg"`; !strings.Contains(got.body, want) ||
				strings.Count(got.body, "/icon.svg") != 1 {
				t.Errorf("%s at %s lacks %s, or has another: %s", test[0], origin, want, got.body)
			}
		}
	}
}
