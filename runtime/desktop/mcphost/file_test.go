package mcphost

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
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

// The backup has the old content and mode. A second one does not replace it.
func TestBackups(t *testing.T) {
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

// A new file is private.
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

// A symbolic link to the configuration stays.
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

// A file that the host writes after Plan is not overwritten.
func TestFilesChangedMeanwhileAreLeftAlone(t *testing.T) {
	host, machine, path := claudeCode(t)
	change := plan(t, host, machine)
	if err := os.WriteFile(path, []byte(`{"meanwhile": 1}`), 0o640); err != nil {
		t.Fatal(err)
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

// A file that the host creates after Plan is not overwritten.
func TestNewFilesAreNotReplaced(t *testing.T) {
	host, _ := Find("cursor")
	machine := Machine{System: "linux", Home: t.TempDir()}
	change := plan(t, host, machine)
	place(t, host, machine, []byte(" "))
	var left *credential.Error
	if _, err := change.Apply(); !asError(err, &left) || !strings.Contains(err.Error(), "meanwhile") {
		t.Errorf("got %v, want a *credential.Error", err)
	}
}

func wantNothingLeft(t *testing.T, path string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*.pdpp-writing-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// Only regular files are opened: a pipe would wait for its writer.
func TestOnlyFilesAreRead(t *testing.T) {
	host, _ := Find("gemini")
	machine := Machine{System: "linux", Home: t.TempDir()}
	if err := os.MkdirAll(host.Path(machine), 0o700); err != nil {
		t.Fatal(err)
	}
	var left *credential.Error
	if _, err := host.Plan(machine, localServer); !asError(err, &left) ||
		!strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("got %v", err)
	}
}
