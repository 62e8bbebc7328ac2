//go:build packages

package check_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/e2e/sandboxtest"
	"github.com/pdppmcp/pdpp-mcp/sandbox"
)

const tag = "localhost/pdpp-mcp:check"

// eachImage tests the image of each program, by its root file system.
func eachImage(t *testing.T, test func(t *testing.T, folder string)) {
	for _, program := range []string{"pdpp-mcp", "pdpp-mcp-otel"} {
		t.Run(program, func(t *testing.T) {
			t.Setenv("PROGRAM", program)
			test(t, root(t))
		})
	}
}

// root builds the image and mounts its root file system.
func root(t *testing.T) string {
	t.Helper()
	run(t, "../..", "packaging/container/build", runtime.GOARCH, tag)
	container := strings.TrimSpace(run(t, ".", "buildah", "from", "--pull-never", tag))
	t.Cleanup(func() { _ = exec.Command("buildah", "rm", container).Run() })
	return strings.TrimSpace(run(t, ".", "buildah", "mount", container))
}

func TestImageHoldsTheServerAlone(t *testing.T) { eachImage(t, holdsTheServerAlone) }

func holdsTheServerAlone(t *testing.T, folder string) {
	var files []string
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files = append(files, strings.TrimPrefix(path, folder))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	if diff := cmp.Diff([]string{"/LICENSE", "/THIRD-PARTY-LICENSES", "/etc/ssl/certs/ca-certificates.crt", "/pdpp-mcp"},
		files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	var image struct {
		Docker struct {
			Config struct {
				User        string
				Entrypoint  []string
				Cmd         []string
				Env         []string
				Healthcheck struct{ Test []string }
			} `json:"config"`
		}
	}
	if err := json.Unmarshal([]byte(run(t, ".", "buildah", "inspect", "--type", "image", tag)), &image); err != nil {
		t.Fatal(err)
	}
	config := image.Docker.Config
	if config.User != "65532:65532" || strings.Join(append(config.Entrypoint, config.Cmd...), " ") != "/pdpp-mcp serve" ||
		strings.Join(config.Healthcheck.Test, " ") != "CMD /pdpp-mcp healthcheck" ||
		!slices.Contains(config.Env, "PDPP_LISTEN=0.0.0.0:8788") {
		t.Errorf("the image's configuration is %+v", config)
	}
}

// inImage returns a command that runs in the image's root file system, mounted read-only, as the image's user and
// without new privileges. The secret's file is mounted into it.
func inImage(t *testing.T, folder, secret string, environment []string, arguments ...string) *exec.Cmd {
	t.Helper()
	const script = `set -eu
root=$1 secret=$2 && shift 2
mount --bind "$root" "$root" && mount --make-private "$root"
if [ -n "$secret" ]; then mount --bind "$secret" "$root/LICENSE"; fi
mount --options remount,bind,ro "$root"
exec setpriv --no-new-privs chroot --userspec=65532:65532 "$root" /pdpp-mcp "$@"`
	command := exec.CommandContext(t.Context(), "unshare",
		append([]string{"--mount", "--ipc", "--uts", "sh", "-c", script, "sh", folder, secret}, arguments...)...)
	command.Env = environment
	return command
}

// With a read-only root the image's server becomes ready, passes its health check and drains at a signal.
func TestImageServesFromAReadOnlyRoot(t *testing.T) { eachImage(t, servesFromAReadOnlyRoot) }

func servesFromAReadOnlyRoot(t *testing.T, folder string) {
	box, url := sandboxtest.Serve(t, sandbox.Options{})
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte(box.Authorization().Caller().Secret), 0o644); err != nil {
		t.Fatal(err)
	}
	address := sandboxtest.FreeAddress(t)
	environment := []string{
		"PDPP_LISTEN=" + address, "PDPP_LOG_FORMAT=json", "PDPP_PROVIDER_URL=" + url, "PDPP_AUTHORIZATION_SERVER=" + url,
		"PDPP_INTROSPECTION_CLIENT_ID=" + box.Authorization().Caller().ID, "PATH=" + os.Getenv("PATH"),
	}
	serving := inImage(t, folder, secret, environment, "serve", "--introspection-client-secret-file", "/LICENSE")
	log, err := serving.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serving.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(log)
	for lines.Scan() && !strings.Contains(lines.Text(), `"msg":"listening"`) {
		t.Logf("%s", lines.Text())
	}
	response, err := http.Get("http://" + address + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Errorf("readiness is %d", response.StatusCode)
	}
	if printed, err := inImage(t, folder, "", environment, "healthcheck").CombinedOutput(); err != nil ||
		len(printed) > 0 {
		t.Errorf("the health check ended with %v and %q", err, printed)
	}
	if status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", serving.Process.Pid)); err != nil ||
		!strings.Contains(string(status), "Uid:\t65532\t65532\t65532\t65532") ||
		!strings.Contains(string(status), "CapEff:\t0000000000000000") {
		t.Errorf("the server runs as %v\n%s", err, status)
	}
	if err := serving.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
	}
	if err := serving.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	if printed, err := inImage(t, folder, "", environment, "healthcheck").CombinedOutput(); err == nil {
		t.Errorf("the health check of a server that has ended says %q", printed)
	}
}
