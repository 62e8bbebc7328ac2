package host_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/hosttest"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/audit"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// accounts returns the entries of an audit log.
func accounts(t *testing.T, written *hosttest.Journal) []audit.Entry {
	t.Helper()
	var entries []audit.Entry
	decoder := json.NewDecoder(bytes.NewReader([]byte(written.String())))
	for {
		var entry audit.Entry
		switch err := decoder.Decode(&entry); {
		case err == io.EOF:
			return entries
		case err != nil:
			t.Fatalf("%v: %s", err, written)
		}
		entries = append(entries, entry)
	}
}

var uncertain = cmpopts.IgnoreFields(audit.Entry{}, "Time", "Duration")

// Covers R-OPS-2: over HTTP an audit line has the caller, the client and the outcome, in the resource server's words.
func TestAccountOverHTTP(t *testing.T) {
	written := &hosttest.Journal{}
	h := newHosted(t, func(with *hostedWith) {
		with.options.Audit = audit.NewStream(written, nil)
		with.surface = testSurface(failing("broken", errPlain),
			failing("refused", &rs.Error{Status: 401, Code: "context.stream_not_allowed"}),
			failing("echoed", &rs.Error{Status: 400, Code: "secret_words"}))
		with.answer = func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, `{}`) }
	})
	call := func(tool string) {
		send(t, h.request(t, http.MethodPost, "/mcp", callOf(tool, `{"q":"secret words"}`), "Authorization", "Bearer "+bearer,
			"Request-Id", "req_of_a_test"))
	}
	call("fetch")
	call("broken")
	call("refused")
	call("echoed")
	entries := accounts(t, written)
	if len(entries) != 4 {
		t.Fatalf("%s", written)
	}
	who := audit.Caller{ClientID: "cli_1", GrantID: "grt_1", RequestID: "req_of_a_test", TokenHash: entries[0].TokenHash}
	want := []audit.Entry{
		{Provider: h.rs.URL, Caller: who, Tool: "fetch", Reads: 1, Code: "ok"},
		{Provider: h.rs.URL, Caller: who, Tool: "broken", Code: string(tool.Internal)},
		{Provider: h.rs.URL, Caller: who, Tool: "refused", Code: "context.stream_not_allowed"},
		// a code that is not known could repeat an argument
		{Provider: h.rs.URL, Caller: who, Tool: "echoed", Code: "rs_400"},
	}
	if diff := cmp.Diff(want, entries, uncertain); diff != "" || len(who.TokenHash) != 16 {
		t.Errorf("%q %s", who.TokenHash, diff)
	}
}

// Covers R-OPS-2: over stdio an audit line has the credential and the client's name. A resource read has its tool, and
// other requests have their method.
func TestAccountOverStdio(t *testing.T) {
	written := &hosttest.Journal{}
	options := hosttest.Options
	options.Audit, options.Caller = audit.NewStream(written, nil), audit.Caller{ClientID: "cli_1", GrantID: "grt_1"}
	session := connect(t, testSurface(), options, reading(reporting(clientSchema)))
	if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "fetch"}); err != nil {
		t.Fatal(err)
	}
	if _, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "pdpp://stream/messages"}); err != nil {
		t.Fatal(err)
	}
	if _, err := session.ListResources(t.Context(), nil); err == nil {
		t.Fatal("a list was made without a schema")
	}
	if _, err := session.Complete(t.Context(), &mcp.CompleteParams{
		Ref:      &mcp.CompleteReference{Type: "ref/resource", URI: "pdpp://stream/{name}"},
		Argument: mcp.CompleteParamsArgument{Name: "name", Value: "m"},
	}); err != nil {
		t.Fatal(err)
	}
	who := audit.Caller{ClientID: "cli_1", GrantID: "grt_1", ClientName: "test"}
	want := []audit.Entry{
		{Provider: "https://pdpp.example", Caller: who, Tool: "fetch", Reads: 1, Code: "ok"},
		{Provider: "https://pdpp.example", Caller: who, Tool: "schema", Reads: 1, Code: "ok"},
		{Provider: "https://pdpp.example", Caller: who, Tool: "resources/list", Reads: 1, Code: string(rs.InvalidResponse)},
		{
			Provider: "https://pdpp.example", Caller: who, Tool: "completion/complete", Reads: 1,
			Code: string(rs.InvalidResponse),
		},
	}
	if diff := cmp.Diff(want, accounts(t, written), uncertain); diff != "" {
		t.Error(diff)
	}
}
