package mcphost

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
)

var update = flag.Bool("update", false, "write the goldens as the results are")

// Each archive in testdata/change has a host's file, named before, and goldens: the file after setup with a local and
// with a hosted server, and the shown change.
func TestChangesAreTheGoldens(t *testing.T) {
	archives, err := filepath.Glob("testdata/change/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	seen := map[string]bool{}
	for _, path := range archives {
		t.Run(filepath.Base(path), func(t *testing.T) {
			name, _, _ := strings.Cut(filepath.Base(path), ".")
			host, known := Find(name)
			if !known {
				t.Fatalf("%s begins with no host", path)
			}
			seen[name] = true
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want := &txtar.Archive{Comment: archive.Comment, Files: slices.Clone(archive.Files[:1])}
			for _, server := range []Server{localServer, hostedServer} {
				if server.URL != "" && !host.Remote() {
					continue
				}
				want.Files = append(want.Files, applied(t, host, server, archive.Files[0].Data)...)
			}
			now := txtar.Format(want)
			if *update {
				if err := os.WriteFile(path, now, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(txtar.Format(archive)), string(now)); diff != "" {
				t.Errorf("-golden +now:\n%s", diff)
			}
		})
	}
	for _, host := range Hosts() {
		if !seen[host.Name] {
			t.Errorf("no golden for %s", host.Name)
		}
	}
}

// applied writes the file in a temporary home directory, sets up the server, and returns the goldens.
func applied(t *testing.T, host Host, server Server, before []byte) []txtar.File {
	t.Helper()
	kind := map[bool]string{true: "local", false: "hosted"}[server.URL == ""]
	machine := Machine{System: "linux", Home: t.TempDir()}
	path := place(t, host, machine, before)
	change, err := host.Plan(machine, server)
	if err != nil {
		return []txtar.File{{Name: kind + " error", Data: []byte(hideHome(err.Error(), machine) + "\n")}}
	}
	shown := hideHome(change.Diff(), machine)
	if _, err := change.Apply(); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := host.Plan(machine, server)
	if err != nil || !again.Empty() || again.Diff() != "" {
		t.Errorf("a second run changes something: %v", err)
	}
	return []txtar.File{{Name: kind, Data: after}, {Name: kind + " shown", Data: []byte(shown)}}
}

func place(t *testing.T, host Host, machine Machine, content []byte) string {
	t.Helper()
	path := host.Path(machine)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if len(content) > 0 {
		if err := os.WriteFile(path, content, 0o640); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func hideHome(text string, machine Machine) string {
	return strings.ReplaceAll(text, machine.Home, "~")
}

// A file that cannot be parsed or safely changed stays as it is, and the message repeats nothing of it.
func TestDamagedFilesAreLeftAlone(t *testing.T) {
	for i, refused := range []struct{ host, content string }{
		{"claude-code", `{"mcpServers": {"a": "secret"`},
		{"claude-code", `{"mcpServers": {}} // secret`},
		{"claude-code", `["secret"]`},
		{"claude-code", `{"mcpServers": "secret"}`},
		{"claude-code", `{"mcpServers": {"pdpp": "secret"}}`},
		{"claude-code", `{"mcpServers": {}, "mcpServers": {}}`},
		{"claude-code", `{"mcpServers": {"pdpp": {}, "pdpp": {}}}`},
		{"claude-code", `{"mcpServers": {"pdpp": {"url": 1, "url": 2}}}`},
		{"claude-desktop", "\xef\xbb\xbf{}"},
		{"vscode", `{"servers": {} /* secret`},
		{"vscode", `{'servers': 'secret'}`},
		{"gemini", `secret`},
		{"codex", `mcp_servers = "secret"`},
		{"codex", `a = [secret`},
		{"codex", "a = 1\na = 2"},
		{"codex", `mcp_servers = { pdpp = { url = "secret" } }`},
		{"codex", `mcp_servers.pdpp.url = "secret"`},
		{"codex", "[mcp_servers]\npdpp = { url = 'secret' }"},
		{"codex", "[[mcp_servers]]\nname = 'secret'"},
	} {
		t.Run(fmt.Sprint(refused.host, i), func(t *testing.T) {
			host, _ := Find(refused.host)
			machine := Machine{System: "linux", Home: t.TempDir()}
			path := place(t, host, machine, []byte(refused.content))
			_, err := host.Plan(machine, localServer)
			var left *credential.Error
			if !asError(err, &left) {
				t.Fatalf("got %v, want a *credential.Error", err)
			}
			if !strings.HasPrefix(left.Message, path) || !strings.Contains(err.Error(), "--print") ||
				strings.Contains(err.Error(), "secret") {
				t.Errorf("the message is %q", err)
			}
			if content, err := os.ReadFile(path); err != nil || string(content) != refused.content {
				t.Errorf("the file is %q (%v)", content, err)
			}
		})
	}
}

// A server that no host can use, or that this host cannot use, is an error of class Usage.
func TestServersAreChecked(t *testing.T) {
	claude, _ := Find("claude-code")
	desktop, _ := Find("claude-desktop")
	for _, wrong := range []struct {
		host   Host
		server Server
		says   string
	}{
		{claude, Server{Name: "two words", Command: "/x"}, "--name"},
		{claude, Server{Name: "", Command: "/x"}, "--name"},
		{claude, Server{Name: strings.Repeat("a", 65), Command: "/x"}, "64"},
		{claude, Server{Name: "pdpp", URL: "http://data.example/mcp"}, "https://"},
		{claude, Server{Name: "pdpp", URL: "https://user:hidden@data.example/mcp"}, "password"},
		{claude, Server{Name: "pdpp", URL: "https://data.example/mcp?token=hidden"}, "query"},
		{claude, Server{Name: "pdpp", URL: "https://data.example/"}, "endpoint"},
		{claude, Server{Name: "pdpp", URL: "data.example/mcp"}, "must begin with http"},
		{desktop, hostedServer, "Connectors"},
	} {
		_, err := wrong.host.Plan(Machine{System: "linux", Home: t.TempDir()}, wrong.server)
		var usage *credential.Error
		if !asError(err, &usage) || usage.Class != credential.Usage || !strings.Contains(err.Error(), wrong.says) ||
			strings.Contains(err.Error(), "hidden") {
			t.Errorf("%+v: got %v, want wrong use that says %q", wrong.server, err, wrong.says)
		}
		if _, snippetErr := wrong.host.Snippet(wrong.server); snippetErr == nil || snippetErr.Error() != err.Error() {
			t.Errorf("%+v: the snippet says %v", wrong.server, snippetErr)
		}
	}
	if _, err := claude.Snippet(Server{Name: "pdpp", URL: "http://[::1]:8788/mcp"}); err != nil {
		t.Errorf("plain http on this machine: %v", err)
	}
}
