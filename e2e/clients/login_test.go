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

// signIn describes the sign-in of a host.
type signIn struct {
	prepare, login, list string // command lines
	success, listed      string // an expression for what the second prints, and a word of the third
}

// R-HOST-1, R-HOST-3: real hosts sign in at a server in another process than its provider, by the recipe of
// docs/hosting.md, and at one whose authorization server refuses unknown client metadata and publishes no members of
// packages, as the reference provider does. There the Inspector cannot register: it always asks for a scope.
func TestHostsSignIn(t *testing.T) {
	const mail = "cin_gmail_personal"
	for name, provider := range map[string]struct {
		sandbox []string
		source  string // below the provider's URL
		want    string // of the page on which the owner decides
		without string // the host that cannot sign in
	}{
		"the recipe of the hosting guide": {want: `type="checkbox" name="connection_id"`},
		"one source for each sign-in": {
			sandbox: []string{"--quirk", "strict-registration", "--package-members=false"}, source: "/connectors/gmail=" + mail,
			want: "Answering the owner&#39;s questions", without: "inspector",
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
		server := box.serve(t, flags...) + "/mcp"
		inspect := "mcp-inspector --cli " + server + " --transport http --method tools/list"
		hosts := map[string]signIn{
			"claude": {
				"claude mcp add --transport http pdpp " + server, "claude mcp login pdpp", "claude mcp list",
				"success|Success|Authenticat", "Connected",
			},
			"codex": {
				"printf '[mcp_servers.pdpp]\nurl = \"" + server + "\"\n' > ~/.codex/config.toml", "codex mcp login pdpp",
				"codex mcp list", "success|Success", "OAuth",
			},
			"inspector": {
				"mcp-inspector --version", inspect + " --callback-url http://127.0.0.1:0/oauth/callback",
				inspect + " --stored-auth-only", `"query_records"`, `"query_records"`,
			},
		}
		delete(hosts, provider.without)
		for host, commands := range hosts {
			t.Run(name+", "+host, func(t *testing.T) {
				u := newStranger(t)
				u.environment = append(u.environment, "BROWSER=echo", "MCP_INSPECTOR_SECRET_STORE=file")
				u.write(t, filepath.Join(".codex", ".keep"), "")
				u.run(t, commands.prepare)
				printed := u.logIn(t, commands.login, func(page flowtest.Page) {
					if !strings.Contains(page.Body, provider.want) {
						t.Errorf("the owner's page lacks %q: %s", provider.want, page.Body)
					}
				}, mail)
				if !regexp.MustCompile(commands.success).MatchString(printed) {
					t.Errorf("%s prints %q", commands.login, printed)
				}
				if listed := u.run(t, commands.list); !strings.Contains(listed, commands.listed) {
					t.Errorf("%s prints %q", commands.list, listed)
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
