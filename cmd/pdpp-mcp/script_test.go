package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/completion"
	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/sandbox"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// TestMain lets scripts run the whole program under its own name, and an MCP client that starts it.
func TestMain(m *testing.M) {
	testscript.Main(withoutSettings{m}, map[string]func(){
		"pdpp-mcp": func() {
			if patience, err := time.ParseDuration(os.Getenv("COMPLETION_DEADLINE")); err == nil {
				completion.Deadline = patience
			}
			os.Exit(cli.Main(version, nil))
		},
		"mcp-call": func() { os.Exit(runClient()) },
		"xdg-open": func() { os.Exit(runOwner()) },
	})
}

// withoutSettings runs the tests without the user's settings, such as PDPP_PROVIDER_URL, which a reader of README
// exports.
type withoutSettings struct{ *testing.M }

// Run is called in the process of the tests, and not in those of the commands that scripts run.
func (m withoutSettings) Run() int {
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "PDPP_") &&
			!strings.HasPrefix(name, "PDPP_NO_") {
			_ = os.Unsetenv(name) // it fails for no name that the system gave
		}
	}
	return m.M.Run()
}

// TestScripts runs testdata/script against a sandbox of each kind of reads. Each script has its own origin, whose
// requests it can check. A script skips a kind in its first line, as in [v0.1] skip.
func TestScripts(t *testing.T) {
	for _, reads := range resource.AllReads()[:timetest.Draws(len(resource.AllReads()))] {
		t.Run(string(reads), func(t *testing.T) {
			params := scripts("script", newSandbox(t, reads))
			params.Condition = func(kind string) (bool, error) { return kind == string(reads), nil }
			runScripts(t, params)
		})
	}
}

// runScripts runs scripts and passes GORACE to their commands, which would not inherit it. It shortens the exit of
// processes in make race.
func runScripts(t *testing.T, params testscript.Params) {
	t.Helper()
	setUp := params.Setup
	params.Setup = func(env *testscript.Env) error {
		env.Setenv("GORACE", os.Getenv("GORACE"))
		return setUp(env)
	}
	testscript.Run(t, params)
}

// scripts returns the parameters to run the scripts in a folder of testdata against a sandbox.
func scripts(folder string, box *sandbox.Sandbox) testscript.Params {
	return testscript.Params{
		Dir: filepath.Join("testdata", folder),
		Setup: func(env *testscript.Env) error {
			origin := newOrigin(box)
			env.Defer(origin.server.Close)
			env.Values[originKey{}] = origin
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("PROVIDER", origin.server.URL)
			env.Setenv("COMPLETION_DEADLINE", "1m")
			env.Setenv("KEY", strings.ReplaceAll(strings.TrimPrefix(origin.server.URL, "http://"), ":", "_"))
			for name, token := range box.Tokens() {
				env.Setenv("TOKEN_"+strings.ToUpper(name), token)
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"connected": connected,
			"refuses":   refuses,
			"requests":  requests,
			"mode":      mode,
			"take":      take,
			"next":      next,
			"hides":     hides,
			"distinct":  distinct,
			"write":     write,
		},
	}
}

// connected writes a cache as pdpp-mcp connect does: connected <cache-root> <token name> [member=value …].
// The members are added to the credential.
func connected(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: connected <cache-root> <token name> [member=value ...]")
	}
	credential := map[string]string{
		"access_token": ts.Getenv("TOKEN_" + strings.ToUpper(args[1])), "token_type": "Bearer",
		"grant_id": "grt_script",
	}
	for _, member := range args[2:] {
		name, value, _ := strings.Cut(member, "=")
		credential[name] = value
	}
	content, err := json.Marshal(map[string]any{"provider_url": ts.Getenv("PROVIDER"), "credential": credential})
	ts.Check(err)
	directory := filepath.Join(ts.MkAbs(args[0]), "clients")
	ts.Check(os.MkdirAll(directory, 0o700))
	ts.Check(os.WriteFile(filepath.Join(directory, ts.Getenv("KEY")+".json"), content, 0o600))
}

// ends runs a command that must end with a code: ends <exit code> <command> [args …].
func ends(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: <exit code> <command> [args ...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if code != want {
		ts.Fatalf("%s ended with %d, want %d", args[1], code, want)
	}
}

// refuses is ends for a command that must leave stdout empty, write one line to stderr, with next steps indented below
// it, and print no token (R-STDIO-4). The line can be looked at with stderr.
func refuses(ts *testscript.TestScript, neg bool, args []string) {
	ends(ts, neg, args)
	if stdout := ts.ReadFile("stdout"); stdout != "" {
		ts.Fatalf("stdout is %q, want nothing", stdout)
	}
	stderr := ts.ReadFile("stderr")
	// the second in the format json of the log
	problems := strings.Count("\n"+stderr, "\npdpp-mcp: ") + strings.Count("\n"+stderr, "\n{")
	if problems == 0 || strings.Count(stderr, "\n")-strings.Count(stderr, "\n  ") != problems ||
		!strings.HasSuffix(stderr, "\n") {
		ts.Fatalf("stderr is %q, want a line for each problem, with next steps indented below it", stderr)
	}
	hides(ts, false, nil)
}

var tokenVariables = []string{"EVERYTHING", "OWNER", "NARROW", "EXPIRED", "REVOKED"}

// hides checks that the last command printed no token (R-ERR-6).
func hides(ts *testscript.TestScript, _ bool, _ []string) {
	printed := ts.ReadFile("stdout") + ts.ReadFile("stderr")
	for _, name := range tokenVariables {
		token := ts.Getenv("TOKEN_" + name)
		if token == "" {
			ts.Fatalf("the sandbox has no token %s", name)
		}
		if strings.Contains(printed, token) {
			ts.Fatalf("the token %s was printed", name)
		}
	}
}

// requests puts the requests to the resource server since the last time on stdout, one per line: method, path and
// query, and the name of the token.
func requests(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: requests")
	}
	seen := ts.Value(originKey{}).(*origin).take()
	_, err := fmt.Fprint(ts.Stdout(), strings.Join(append(seen, ""), "\n"))
	ts.Check(err)
}

// mode checks a file's permissions: mode 600 <file>.
func mode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: mode <octal> <file>")
	}
	want, err := strconv.ParseUint(args[0], 8, 32)
	ts.Check(err)
	info, err := os.Stat(ts.MkAbs(args[1]))
	ts.Check(err)
	if info.Mode().Perm() != fs.FileMode(want) {
		ts.Fatalf("%s has mode %o, want %o", args[1], info.Mode().Perm(), want)
	}
}

// distinct checks the lines of the last stdout: distinct <count> <pattern>. There must be count lines, and the
// pattern's group must match a different text in each.
func distinct(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: distinct <count> <pattern>")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	pattern := regexp.MustCompile(args[1])
	found := map[string]bool{}
	lines := strings.Split(strings.TrimSuffix(ts.ReadFile("stdout"), "\n"), "\n")
	for _, line := range lines {
		group := pattern.FindStringSubmatch(line)
		if group == nil {
			ts.Fatalf("nothing like %s in %s", args[1], line)
		}
		found[group[1]] = true
	}
	if len(lines) != want || len(found) != want {
		ts.Fatalf("%d lines, %d of them distinct, want %d", len(lines), len(found), want)
	}
}

// write makes a file of one line: write <file> <line>.
func write(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: write <file> <line>")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(args[1]+"\n"), 0o600))
}

// take reads a key=value token of the last text into a variable, still as JSON, or the argument of that name in a call
// that it proposes, or the first value of its first row: take CURSOR cursor, take ID row.
func take(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: take <variable> <key>")
	}
	pattern := regexp.MustCompile(`(?m)(?:^|\s)` + regexp.QuoteMeta(args[1]) + `=("(?:[^"\\]|\\.)*"|\S+)|"` +
		regexp.QuoteMeta(args[1]) + `":("(?:[^"\\]|\\.)*")`)
	if args[1] == "row" {
		pattern = regexp.MustCompile(`(?m)^\[("(?:[^"\\]|\\.)*")`)
	}
	found := pattern.FindStringSubmatch(ts.ReadFile("stdout"))
	if found == nil {
		ts.Fatalf("the text has no %s=", args[1])
	}
	ts.Setenv(args[0], strings.Join(found[1:], ""))
}

// next sets a variable to the arguments of the first call of a tool that the last text proposes: next ARGUMENTS fetch.
// With a third word, the arguments must contain it.
func next(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || len(args) > 3 || neg {
		ts.Fatalf("usage: next <variable> <tool> [word]")
	}
	text := ts.ReadFile("stdout")
	pattern := regexp.MustCompile(`(?m)next: ` + regexp.QuoteMeta(args[1]) + ` (\{.*\})$`)
	for _, found := range pattern.FindAllStringSubmatch(text, -1) {
		if len(args) == 2 || strings.Contains(found[1], args[2]) {
			ts.Setenv(args[0], found[1])
			return
		}
	}
	ts.Fatalf("the text proposes no such call of %s", args[1])
}
