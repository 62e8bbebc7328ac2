package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// completed gives what a shell is offered at the end of a command line, and what is said on stderr.
func completed(t *testing.T, provider, patience string, words ...string) (offered, said string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "pdpp-mcp", append([]string{"__complete"}, words...)...)
	command.Env = append(os.Environ(), "PDPP_ACCESS_TOKEN=scoped-token-of-a-test", "PDPP_PROVIDER_URL="+provider, "COMPLETION_DEADLINE="+patience)
	var stderr strings.Builder
	command.Stderr = &stderr
	printed, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %v", words, err)
	}
	return string(printed), stderr.String()
}

// A provider that does not answer keeps nobody's shell: nothing is offered after two seconds.
func TestCompletionDoesNotWait(t *testing.T) {
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		<-request.Context().Done()
	}))
	defer silent.Close()
	began := time.Now()
	offered, said := completed(t, silent.URL, "", "call", "query_records", "--stream", "")
	if took := time.Since(began); took < completionDeadline || took > 10*completionDeadline {
		t.Errorf("took %v, want about %v", took, completionDeadline)
	}
	if offered != ":4\n" || strings.Contains(said, "pdpp-mcp:") {
		t.Errorf("offered %q and said %q, want nothing", offered, said)
	}
}

// What is offered lands on a command line and on a terminal, and the provider chose it.
func TestCompletionOffersPlainWordsOnly(t *testing.T) {
	provider := httptest.NewServer(&listeningRS{schema: `{"object":"schema","bearer":{"token_kind":"client"},"connectors":[{
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

// Names are kept for a minute, for one grant of one provider.
func TestKeptNames(t *testing.T) {
	root, now := t.TempDir(), time.Now()
	names := grantedNames{Sources: []namedSource{{Streams: []string{"messages"}, Connections: []namedConnection{{ID: "cin_1"}}}}}
	kept := newKeptNames(root, "https://pdpp.example", "grt_1")
	kept.write(names, now)
	tests := []struct {
		about string
		kept  *keptNames
		at    time.Time
		found bool
	}{
		{"at once", kept, now, true},
		{"within the minute", kept, now.Add(namesAge - time.Second), true},
		{"after the minute", kept, now.Add(namesAge), false},
		{"written in the future", kept, now.Add(-time.Second), false},
		{"another grant", newKeptNames(root, "https://pdpp.example", "grt_2"), now, false},
		{"another provider", newKeptNames(root, "https://other.example", "grt_1"), now, false},
		{"a file of another grant under this name", &keptNames{path: kept.path, providerURL: "https://pdpp.example", grantID: "grt_2"}, now, false},
	}
	for _, test := range tests {
		if got, found := test.kept.read(test.at); found != test.found || found && len(got.streams("cin_1")) != 1 {
			t.Errorf("%s: %v, %v; want %v", test.about, got, found, test.found)
		}
	}
	// What is too old to be read goes when the next grant is asked for.
	if err := os.Chtimes(kept.path, now.Add(-namesAge), now.Add(-namesAge)); err != nil {
		t.Fatal(err)
	}
	newKeptNames(root, "https://pdpp.example", "grt_2").write(names, now)
	if left, err := filepath.Glob(filepath.Join(root, namesFolder, "*")); err != nil || len(left) != 1 || left[0] == kept.path {
		t.Errorf("the folder holds %v and gives %v, want the new file alone", left, err)
	}
}
