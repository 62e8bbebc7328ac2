package mcphost

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
)

func asError[T error](err error, target *T) bool { return errors.As(err, target) }

const otherServers = "{\n  \"mcpServers\": {\n    \"other\": {\n      \"command\": \"/bin/other\"\n    }\n  }\n}\n"

func claudeCode(t *testing.T) (Host, Machine, string) {
	t.Helper()
	host, _ := Find("claude-code")
	machine := Machine{System: "linux", Home: t.TempDir()}
	return host, machine, place(t, host, machine, []byte(otherServers))
}

func plan(t *testing.T, host Host, machine Machine) *Change {
	t.Helper()
	change, err := host.Plan(machine, localServer)
	if err != nil {
		t.Fatal(err)
	}
	return change
}

// The backup holds the file as it was, with its mode, and a second one does not replace it.
func TestBackupsStayBesideTheFile(t *testing.T) {
	host, machine, path := claudeCode(t)
	first, err := plan(t, host, machine).Apply()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(`{"later": true}`), 0o640); err != nil {
		t.Fatal(err)
	}
	second, err := plan(t, host, machine).Apply()
	if err != nil {
		t.Fatal(err)
	}
	for backup, want := range map[string]string{first: otherServers, second: `{"later": true}`} {
		content, err := os.ReadFile(backup)
		if err != nil || string(content) != want || filepath.Dir(backup) != filepath.Dir(path) {
			t.Errorf("backup %s is %q (%v), want %q", backup, content, err, want)
		}
		wantMode(t, backup, 0o640)
	}
	wantMode(t, path, 0o640)
}

func wantMode(t *testing.T, path string, want fs.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != want {
		t.Errorf("%s has mode %o, want %o", path, info.Mode().Perm(), want)
	}
}

// A new file is the user's alone.
func TestNewFilesArePrivate(t *testing.T) {
	host, _ := Find("cursor")
	machine := Machine{System: "linux", Home: t.TempDir()}
	backup, err := plan(t, host, machine).Apply()
	if err != nil || backup != "" {
		t.Fatalf("backup %q, %v; want none", backup, err)
	}
	wantMode(t, host.Path(machine), 0o600)
	wantMode(t, filepath.Dir(host.Path(machine)), 0o700)
}

// Those who keep their configuration elsewhere keep the link to it.
func TestSymbolicLinksStay(t *testing.T) {
	host, machine, path := claudeCode(t)
	elsewhere := filepath.Join(t.TempDir(), "kept.json")
	if err := errors.Join(os.Rename(path, elsewhere), os.Symlink(elsewhere, path)); err != nil {
		t.Fatal(err)
	}
	if _, err := plan(t, host, machine).Apply(); err != nil {
		t.Fatal(err)
	}
	if target, err := os.Readlink(path); err != nil || target != elsewhere {
		t.Errorf("the link leads to %q (%v)", target, err)
	}
	if content, err := os.ReadFile(elsewhere); err != nil || !strings.Contains(string(content), localServer.Command) {
		t.Errorf("the file is %q (%v)", content, err)
	}
	if err := os.Remove(elsewhere); err != nil {
		t.Fatal(err)
	}
	if _, err := host.Plan(machine, localServer); err == nil || !strings.Contains(err.Error(), "link to nothing") {
		t.Errorf("a broken link gives %v", err)
	}
}

// A host that writes its file while a person reads the change wins.
func TestFilesChangedMeanwhileAreLeftAlone(t *testing.T) {
	host, machine, path := claudeCode(t)
	change := plan(t, host, machine)
	change.step = func(step string) {
		if step == "rename" {
			if err := os.WriteFile(path, []byte(`{"meanwhile": 1}`), 0o640); err != nil {
				t.Error(err)
			}
		}
	}
	var left *credential.Error
	if _, err := change.Apply(); !asError(err, &left) || !strings.Contains(err.Error(), "meanwhile") {
		t.Errorf("got %v, want a *credential.Error", err)
	}
	if content, err := os.ReadFile(path); err != nil || string(content) != `{"meanwhile": 1}` {
		t.Errorf("the file is %q (%v)", content, err)
	}
	wantNothingLeft(t, path)
}

// A host that writes its first file meanwhile wins too.
func TestFilesThatAppearMeanwhileAreLeftAlone(t *testing.T) {
	host, _ := Find("cursor")
	machine := Machine{System: "linux", Home: t.TempDir()}
	change := plan(t, host, machine)
	place(t, host, machine, []byte(" "))
	var left *credential.Error
	if _, err := change.Apply(); !asError(err, &left) || !strings.Contains(err.Error(), "meanwhile") {
		t.Errorf("got %v, want a *credential.Error", err)
	}
}

func temporary(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".pdpp-writing")
}

func wantNothingLeft(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Stat(temporary(path)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s was left behind (%v)", temporary(path), err)
	}
}

// What is no file is not opened: a pipe would wait for its writer.
func TestOnlyFilesAreRead(t *testing.T) {
	host, _ := Find("gemini")
	machine := Machine{System: "linux", Home: t.TempDir()}
	if err := os.MkdirAll(host.Path(machine), 0o700); err != nil {
		t.Fatal(err)
	}
	var left *credential.Error
	if _, err := host.Plan(machine, localServer); !asError(err, &left) || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("got %v", err)
	}
}

const killedAt = "PDPP_TEST_KILLED_AT"

// TestMain lets the test program be the run that is killed.
func TestMain(m *testing.M) {
	if step := os.Getenv(killedAt); step != "" {
		host, _ := Find("claude-code")
		change, err := host.Plan(Machine{System: "linux", Home: os.Getenv("HOME")}, localServer)
		if err != nil {
			panic(err)
		}
		change.step = func(now string) {
			if now == step {
				process, _ := os.FindProcess(os.Getpid()) // always finds itself
				_ = process.Kill()
				select {} // until the kill arrives
			}
		}
		_, err = change.Apply()
		panic(err) // it should have been killed
	}
	os.Exit(m.Run())
}

// A run that is killed leaves the old file or the new one, and a later run completes it.
func TestKilledRunsLeaveAWholeFile(t *testing.T) {
	for step, changed := range map[string]bool{"backup": false, "write": false, "rename": false, "done": true} {
		t.Run(step, func(t *testing.T) {
			host, machine, path := claudeCode(t)
			want := otherServers
			if changed {
				want = string(plan(t, host, machine).after)
			}
			killed := exec.CommandContext(t.Context(), os.Args[0])
			killed.Env = append(os.Environ(), killedAt+"="+step, "HOME="+machine.Home)
			var exit *exec.ExitError
			if output, err := killed.CombinedOutput(); !errors.As(err, &exit) || len(output) > 0 {
				t.Fatalf("the run ended with %v and said %s", err, output)
			}
			if content, err := os.ReadFile(path); err != nil || string(content) != want {
				t.Errorf("the file is %q (%v), want %q", content, err, want)
			}
			if step == "backup" || step == "rename" { // its temporary file is left behind
				if _, err := plan(t, host, machine).Apply(); !errors.Is(err, errBusy) {
					t.Errorf("a run at the same time gives %v", err)
				}
				then := time.Now().Add(-2 * abandonedAfter)
				if err := os.Chtimes(temporary(path), then, then); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := plan(t, host, machine).Apply(); err != nil {
				t.Errorf("a later run: %v", err)
			}
			wantNothingLeft(t, path)
			if !plan(t, host, machine).Empty() {
				t.Error("a later run did not complete the change")
			}
		})
	}
}
