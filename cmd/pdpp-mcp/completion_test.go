package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/completion"
)

// completed returns the completions of a command line, and what the command prints on stderr.
func completed(t *testing.T, provider, patience string, words ...string) (offered, stderr string) {
	t.Helper()
	offered, stderr, code := runProgram(t, append(reading(provider, someToken), "COMPLETION_DEADLINE="+patience),
		append([]string{"__complete"}, words...)...)
	if code != 0 {
		t.Fatalf("%v ended with %d: %s", words, code, stderr)
	}
	return offered, stderr
}

// If a provider does not answer, completion offers nothing after its deadline. The provider waits until completion
// hangs up.
func TestCompletionDoesNotWait(t *testing.T) {
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		<-request.Context().Done()
	}))
	defer silent.Close()
	began := time.Now()
	offered, stderr := completed(t, silent.URL, "", "call", "query_records", "--stream", "")
	if took := time.Since(began); took < completion.Deadline || completion.Deadline > 2*time.Second {
		t.Errorf("ended after %v with a deadline of %v", took, completion.Deadline)
	}
	if offered != ":4\n" || strings.Contains(stderr, "pdpp-mcp:") {
		t.Errorf("offered %q and said %q, want nothing", offered, stderr)
	}
}

// The provider chooses the names, so only those that are safe on a command line and on a terminal are offered.
func TestCompletionOffersPlainWordsOnly(t *testing.T) {
	provider := httptest.NewServer(
		&listeningRS{schema: `{"object":"schema","bearer":{"token_kind":"client"},"connectors":[{
		"object":"connector","connector_key":"mail","connector_id":"mail","stream_count":5,
		"streams":[{"name":"messages"},{"name":"$(reboot)"},{"name":"two words"},{"name":"--all"},{"name":"red\u001b[31m"},{"name":"línea"}],
		"granted_connections":[
			{"connection_id":"cin_1","display_name":"Mine\n\u001b[2Jcin_3\t\u202eevil"},
			{"connection_id":"cin_2\ncin_9","display_name":"x"},{"connection_id":"` + "`id`" + `","display_name":"x"}]}]}`})
	defer provider.Close()
	offered, _ := completed(t, provider.URL, "1m", "call", "query_records", "--stream", "")
	if want := "línea\nmessages\n:4\n"; offered != want {
		t.Errorf("offered %q, want %q", offered, want)
	}
	offered, _ = completed(t, provider.URL, "1m", "call", "query_records", "--connection-id", "")
	if want := "cin_1\tMine \\u001b[2Jcin_3 \\u202eevil\n:4\n"; offered != want {
		t.Errorf("offered %q, want %q", offered, want)
	}
}
