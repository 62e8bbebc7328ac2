package faulttest_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/e2e/faulttest"
)

func (a *adapter) mustAnswer(when string) {
	a.t.Helper()
	got := a.read()
	if got.isError || got.status != 0 && got.status != 200 {
		a.t.Fatalf("%s: %d %s%s", when, got.status, got.text, got.body)
	}
	got.assertAnswer(a.t, a)
}

// reset resets the counts and closes idle connections: package http retries on a kept-alive connection that turns out
// to be closed, which the resource server would see as one more try.
func (a *adapter) reset() {
	a.carrier.CloseIdleConnections()
	a.rs.Take()
	if a.recorder != nil {
		a.recorder.take()
	}
}

// metadata is the path of the provider's metadata, which are public.
const metadata = "/.well-known/oauth-protected-resource"

// assertTries compares the number of requests at the resource server with the expected one and with the host's metrics.
func (a *adapter) assertTries(fault faultCase) {
	a.t.Helper()
	want := fault.tries * a.children
	if fault.times > 0 {
		want = a.children + fault.times
	}
	seen := a.rs.Take()
	isSearch := a.children > 1 // it also reads the records of the first hits, and the coverage
	asked := slices.DeleteFunc(slices.Clone(seen), func(r faulttest.Request) bool {
		return isSearch && (strings.Contains(r.URI, "/records/") || strings.HasPrefix(r.URI, "/v1/schema") ||
			r.URI == metadata)
	})
	if len(asked) != want {
		a.t.Errorf("the resource server saw %d requests, want %d", len(asked), want)
	}
	bearers := map[string]bool{}
	for _, request := range seen {
		if request.URI == metadata {
			if request.Bearer != "" {
				a.t.Errorf("%s was read with a bearer", request.URI)
			}
			continue
		}
		bearers[request.Bearer] = true
		if request.Method != "GET" {
			a.t.Errorf("the resource server saw %s %s", request.Method, request.URI)
		}
	}
	if len(bearers) != a.children {
		a.t.Errorf("%d bearers were shown, want %d", len(bearers), a.children)
	}
	if a.recorder == nil {
		return
	}
	if counted := a.recorder.take(); len(counted) != len(seen) {
		a.t.Errorf("the host counted %d requests %v of %d", len(counted), counted, len(seen))
	}
}

// assertAnswer checks that there are records, and no error or warning.
func (s outcome) assertAnswer(t *testing.T, a *adapter) {
	t.Helper()
	if s.isError || strings.Contains(s.text, "source_unavailable") {
		t.Errorf("got %s", s.text)
	}
	if a.children == 1 && (strings.Count(s.text, "\n[") < 2 || strings.Count(string(s.structured), `"handle":`) != 2) {
		t.Errorf("not two records: %s\n%s", s.text, s.structured)
	}
}

// assertError checks that both channels have the same error.
func (s outcome) assertError(t *testing.T, code, says string, sources int) {
	t.Helper()
	var structured struct {
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(s.structured, &structured); err != nil {
		t.Fatalf("%v: %s", err, s.structured)
	}
	if string(structured.Error) != s.text {
		t.Errorf("the channels differ:\n%s\n%s", s.text, structured.Error)
	}
	var got struct {
		Code        string `json:"code"`
		Message     string `json:"message"`
		Unavailable []struct {
			Reason string `json:"reason"`
		} `json:"unavailable_connections"`
	}
	if err := json.Unmarshal([]byte(s.text), &got); err != nil || !s.isError {
		t.Fatalf("error %v of %v: %s", s.isError, err, s.text)
	}
	if sources > 1 && got.Code == "source_unavailable" {
		// No source has its own next step here; the message has the common one.
		says = "try again"
		if len(got.Unavailable) != sources {
			t.Errorf("%d sources are named, want %d", len(got.Unavailable), sources)
		}
		for _, source := range got.Unavailable {
			if source.Reason != code {
				t.Errorf("a source is missing for %s, want %s", source.Reason, code)
			}
		}
	} else if got.Code != code {
		t.Errorf("the code is %s, want %s", got.Code, code)
	}
	if !strings.Contains(strings.ToLower(got.Message), strings.ToLower(says)) {
		t.Errorf("the message is %q, want one with %q", got.Message, says)
	}
	for name, token := range box().Tokens() {
		if strings.Contains(s.text+string(s.structured), token) {
			t.Errorf("the answer holds the token %s", name)
		}
	}
}
