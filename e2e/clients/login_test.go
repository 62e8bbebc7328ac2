//go:build clients

package clients_test

import (
	"bufio"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/e2e/flowtest"
	"github.com/pdppmcp/pdpp-mcp/e2e/sandboxtest"
)

// authorizeURL matches the URL that a host prints, or passes to the browser.
var authorizeURL = regexp.MustCompile(`https?://[^\s\x07\x1b"']+/authorize\?[^\s\x07\x1b"']+`)

// R-HOST-1, R-HOST-3: real hosts sign in at a server in another process than its provider, by the recipe of docs/hosting.md, and at one whose
// authorization server refuses unknown client metadata and publishes no members of packages, as the reference provider does.
func TestHostsSignIn(t *testing.T) {
	const mail = "cin_gmail_personal"
	for name, provider := range map[string]struct {
		sandbox []string
		source  string // below the provider's URL
		want    string // of the page on which the owner decides
	}{
		"the recipe of the hosting guide": {want: `type="checkbox" name="connection_id"`},
		"one source for each sign-in": {
			sandbox: []string{"--quirk", "strict-registration", "--package-members=false"}, source: "/connectors/gmail=" + mail, want: "Answering the owner&#39;s questions",
		},
	} {
		address := sandboxtest.FreeAddress(t)
		box, end, err := startSandbox(t.TempDir(), append(provider.sandbox, "--adapter-url", "http://"+address)...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(end)
		flags := []string{"--listen", address}
		if provider.source != "" {
			flags = append(flags, "--source", box.URL+provider.source)
		}
		server := box.serve(t, flags...)
		for host, commands := range map[string][3]string{
			"claude": {"claude mcp add --transport http pdpp " + server + "/mcp", "claude mcp login pdpp", "claude mcp list"},
			"codex":  {"printf '[mcp_servers.pdpp]\nurl = \"" + server + "/mcp\"\n' > ~/.codex/config.toml", "codex mcp login pdpp", "codex mcp list"},
		} {
			t.Run(name+", "+host, func(t *testing.T) {
				u := newStranger(t)
				u.environment = append(u.environment, "BROWSER=echo")
				u.write(t, filepath.Join(".codex", ".keep"), "")
				u.run(t, commands[0])
				printed := u.logIn(t, commands[1], func(page flowtest.Page) {
					if !strings.Contains(page.Body, provider.want) {
						t.Errorf("the owner's page lacks %q: %s", provider.want, page.Body)
					}
				}, mail)
				if !strings.Contains(strings.ToLower(printed), "success") && !strings.Contains(printed, "Authenticat") {
					t.Errorf("%s prints %q", commands[1], printed)
				}
				if listed := u.run(t, commands[2]); !strings.Contains(listed, "Connected") && !strings.Contains(listed, "OAuth") {
					t.Errorf("%s prints %q", commands[2], listed)
				}
			})
		}
	}
}

// logIn runs a command that signs in, and approves a connection in place of the owner. It returns what the command prints.
func (u *user) logIn(t *testing.T, line string, check func(flowtest.Page), connection string) string {
	t.Helper()
	command := u.command(t, "script", "-qec", line, "/dev/null") // a terminal, without which Claude Code does not sign in
	input, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close()
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	var printed strings.Builder
	isAnswered := false
	lines := bufio.NewReader(io.TeeReader(output, &printed))
	for {
		_, err := lines.ReadString('\n')
		if address := authorizeURL.FindString(printed.String()); address != "" && !isAnswered {
			isAnswered = true
			approveFor(t, address, check, connection)
		}
		if err != nil {
			break
		}
	}
	if err := command.Wait(); err != nil || !isAnswered {
		t.Fatalf("%s: %v\n%s", line, err, printed.String())
	}
	return printed.String()
}

// approveFor follows an authorization request to the owner's page, approves, and sends the browser back to the host.
func approveFor(t *testing.T, address string, check func(flowtest.Page), connection string) {
	t.Helper()
	owner := flowtest.New(nil)
	page, err := owner.Open(t.Context(), address)
	for ; err == nil && page.Location != nil; page, err = owner.Open(t.Context(), address) {
		address = page.Location.String()
	}
	if err != nil {
		t.Fatal(err)
	}
	check(page)
	back, err := owner.Submit(t.Context(), address, page, map[string][]string{"decision": {"approve"}, "connection_id": {connection}})
	if err != nil || back.Location == nil {
		t.Fatalf("the approval: %v, %+v", err, back)
	}
	response, err := http.Get(back.Location.String()) //nolint:noctx // the host listens on this machine
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
}
