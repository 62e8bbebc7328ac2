package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/e2e/hosttest"
)

// document has the members of a metadata document that a client follows.
type document struct {
	Resource             string   `json:"resource"`
	AuthorizationServers []string `json:"authorization_servers"`
	Issuer               string   `json:"issuer"`
}

func documentAt(t *testing.T, url string) document {
	t.Helper()
	status, body := get(t, url, "")
	var read document
	if err := json.Unmarshal([]byte(body), &read); err != nil || status != http.StatusOK {
		t.Fatalf("%s is %d %s", url, status, body)
	}
	return read
}

// R-HOST-2, R-HOST-3, R-HOST-4: the adapter and the provider share one origin. The adapter asks for a sign-in and
// leads to it, and the provider answers as before.
func TestAdapterNextToTheProvider(t *testing.T) {
	ready := startReady(t)
	response, err := http.Post(ready.URL+"/mcp", "application/json",
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	metadata := ready.URL + "/.well-known/oauth-protected-resource/mcp"
	challenge := response.Header.Get("WWW-Authenticate")
	if response.StatusCode != http.StatusUnauthorized || challenge != `Bearer resource_metadata="`+metadata+`"` {
		body, _ := io.ReadAll(response.Body)
		t.Errorf("without a bearer: %d %s, challenge %q", response.StatusCode, body, challenge)
	}
	want := document{Resource: ready.URL + "/mcp", AuthorizationServers: []string{ready.URL}}
	if diff := cmp.Diff(want, documentAt(t, metadata)); diff != "" {
		t.Errorf("metadata of the adapter (-want +got):\n%s", diff)
	}
	want.Resource = ready.URL
	if diff := cmp.Diff(want, documentAt(t, ready.URL+"/.well-known/oauth-protected-resource")); diff != "" {
		t.Errorf("metadata of the provider (-want +got):\n%s", diff)
	}
	if issuer := documentAt(t, ready.URL+"/.well-known/oauth-authorization-server").Issuer; issuer != ready.URL {
		t.Errorf("the issuer is %q", issuer)
	}

	for token, want := range map[string]int{"everything": http.StatusOK, "unknown": http.StatusUnauthorized} {
		if status, body := get(t, ready.URL+"/v1/streams/top_artists/records?limit=1", ready.Tokens[token]); status != want {
			t.Errorf("/v1 with the token %s: %d %s", token, status, body)
		}
	}
	for _, path := range []string{"/dashboard/connect", "/llms.txt", "/icon.svg", "/healthz", "/readyz", "/"} {
		if status, body := get(t, ready.URL+path, ""); status != http.StatusOK {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	for _, token := range []string{"everything", "package"} {
		session, err := connect(t, ready.URL, hosttest.WithBearer{Token: ready.Tokens[token]}, nil)
		if err != nil {
			t.Fatalf("%s: %v", token, err)
		}
		if diff := cmp.Diff(servedTools(), toolNames(t, session)); diff != "" {
			t.Errorf("%s (-surface +listed):\n%s", token, diff)
		}
	}
	if _, err := connect(t, ready.URL, hosttest.WithBearer{Token: ready.Tokens["owner"]}, nil); err == nil {
		t.Error("an owner's token was let in")
	}
}
