//go:build packages

package packaging_test

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/e2e/sandboxtest"
)

// R-OPS-4: a real nginx with the example's configuration asks the authorization server once for a token, whichever of
// three replicas needs to know. It never answers for another token, nor anyone who does not know the secret.
func TestACacheSharedByReplicas(t *testing.T) {
	provider, balancer := newProvider(t), newBalancer(t)
	shared := startNginx(t, provider)
	for i := range 3 {
		balancer.join(startReplica(t, fmt.Sprint("replica-", i), readPod(t, plainManifests), provider, balancer.url, "",
			"--introspection-url", shared))
	}
	before := provider.introspections.Load()
	for _, name := range tokensOfScale {
		for range callsOfAToken {
			post(t, balancer.url, provider.Tokens()[name], "search", `{"q":"overdraft","limit":1}`)
		}
	}
	if asked := provider.introspections.Load() - before; asked != int64(len(tokensOfScale)) {
		t.Errorf("%d introspections of %d tokens", asked, len(tokensOfScale))
	}
	known, long, longest := provider.Tokens()["everything"], strings.Repeat("x", 15<<10), strings.Repeat("x", 17<<10)
	caller := provider.Authorization().Caller()
	for _, test := range []struct {
		token, secret string
		want          int
	}{
		{known, caller.Secret, http.StatusOK},
		{known, "a wrong secret", http.StatusUnauthorized},
		{long, caller.Secret, http.StatusOK}, // by the authorization server, which does not know it
		{longest, caller.Secret, http.StatusRequestEntityTooLarge},
	} {
		if status := introspect(t, shared, caller.ID, test.secret, test.token); status != test.want {
			t.Errorf("%.20s with %s gets %d, want %d", test.token, test.secret, status, test.want)
		}
	}
}

func introspect(t *testing.T, endpoint, client, secret, token string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, endpoint,
		strings.NewReader(url.Values{"token": {token}}.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.SetBasicAuth(client, secret)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode
}

// startNginx runs nginx with the example's configuration before a provider, and returns the endpoint that it serves.
// Only addresses and folders are those of this machine.
func startNginx(t *testing.T, provider *provider) (endpoint string) {
	t.Helper()
	example, err := os.ReadFile("nginx/introspection.conf")
	if err != nil {
		t.Fatal(err)
	}
	folder, address := t.TempDir(), sandboxtest.FreeAddress(t)
	here := strings.NewReplacer("127.0.0.1:8790;", address+";", "https://as.pdpp.example", provider.url,
		"/dev/shm/introspection", filepath.Join(folder, "cache"))
	configuration := filepath.Join(folder, "nginx.conf")
	// As root, the worker would be another user, who may not write here.
	text := "user root;\ndaemon off;\nmaster_process off;\npid " + folder +
		"/pid;\nerror_log stderr;\nevents {}\nhttp {\n" + here.Replace(string(example)) + "}\n"
	if err := os.WriteFile(configuration, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("nginx", "-e", "stderr", "-c", configuration)
	command.Stderr = t.Output()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait() // it was killed
	})
	for deadline := time.Now().Add(time.Minute); ; {
		connection, err := net.Dial("tcp", address)
		if err == nil {
			connection.Close()
			return "http://" + address + "/introspect"
		} else if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}
