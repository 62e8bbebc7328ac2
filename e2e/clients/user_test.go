//go:build clients

package clients_test

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// tokenVariable is the environment variable with the token of a hosted server in the documented commands.
const tokenVariable = "PDPP_TOKEN"

// user is a person with a home directory and a working folder, who has connected to the provider.
type user struct {
	home, folder string
	hosted       string // the URL of the hosted server
	environment  []string
	asked        *asked // of the hosted server
}

// asked are the methods of the MCP requests that a server was sent. Notifications ask nothing, and one that comes
// without a session may go unserved, so they do not count. It is safe for concurrent use.
type asked struct {
	mu      sync.Mutex
	methods map[string]bool
}

func (a *asked) note(method string) {
	if strings.HasPrefix(method, "notifications/") {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.methods[method] = true
}

// compare holds what a client asked the hosted server, on its own and for the documented commands, to a golden.
func (a *asked) compare(t *testing.T, client string) {
	t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	compareGolden(t, "asked-"+client, slices.Sorted(maps.Keys(a.methods)))
}

func newUser(t *testing.T) *user {
	t.Helper()
	u := newStranger(t)
	u.hosted = pdpp.serveNoting(t, u.asked.note) + "/mcp"
	credential, err := os.ReadFile(pdpp.CredentialFile)
	if err != nil {
		t.Fatal(err)
	}
	u.write(t, filepath.Join(".pdpp", "clients", filepath.Base(pdpp.CredentialFile)), string(credential))
	return u
}

// newStranger returns a user who has connected to nothing, and has no hosted server.
func newStranger(t *testing.T) *user {
	t.Helper()
	u := &user{home: t.TempDir(), asked: &asked{methods: map[string]bool{}}}
	u.folder = filepath.Join(u.home, "work")
	u.environment = []string{
		"HOME=" + u.home, "PATH=" + strings.Join([]string{programs, packages, os.Getenv("PATH")}, string(os.PathListSeparator)),
		tokenVariable + "=" + pdpp.Tokens["everything"], "LANG=C.UTF-8", "TERM=dumb", "NO_COLOR=1",
		// Nothing is asked of anybody but the servers of the test.
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "GEMINI_CLI_DISABLE_AUTO_UPDATE=1",
	}
	u.write(t, filepath.Join("work", ".keep"), "")
	return u
}

// write makes a file below the home.
func (u *user) write(t *testing.T, name, content string) {
	t.Helper()
	path := filepath.Join(u.home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// longest bounds one command of a client. Most take seconds, but more on a busy machine with cold disks.
const longest = 5 * time.Minute

// command is a program, or a line for the shell when there are no arguments, as the user would run it.
func (u *user) command(t *testing.T, program string, arguments ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), longest)
	t.Cleanup(cancel)
	command := exec.CommandContext(ctx, "sh", append([]string{"-c", `exec "$@"`, "sh", program}, arguments...)...)
	if len(arguments) == 0 {
		command = exec.CommandContext(ctx, "sh", "-c", program)
	}
	command.Dir, command.Env = u.folder, u.environment
	command.WaitDelay = 10 * time.Second // what it started may hold its streams open
	return command
}

// run returns what a command prints on both streams. The command must succeed.
func (u *user) run(t *testing.T, program string, arguments ...string) string {
	t.Helper()
	printed, err := u.command(t, program, arguments...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", program, arguments, err, printed)
	}
	return string(printed)
}
