package run

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/e2e/eval/relay"
	"github.com/pdppmcp/pdpp-mcp/sandbox"
	"github.com/pdppmcp/pdpp-mcp/sandbox/sample"
)

// person is the sandbox of one seed, with a listener and the files that servers need.
type person struct {
	box    *sandbox.Sandbox
	server *http.Server
	folder string
	url    string
}

// readyGrant names the sandbox's ready token for all data.
const readyGrant = "everything"

// newPerson starts the sandbox of a seed. Its database is a file, so that other servers can read it.
func newPerson(ctx context.Context, folder string, seed uint64) (*person, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the sandbox: %w", err)
	}
	p := &person{folder: folder, url: "http://" + listener.Addr().String()}
	data := sample.Person(seed)
	p.box, err = sandbox.New(ctx, sandbox.Options{PublicURL: p.url, DataDir: folder, Data: &data})
	if err != nil {
		_ = listener.Close()
		return nil, fmt.Errorf("start the sandbox: %w", err)
	}
	if err := os.WriteFile(p.tokenFile(), []byte(p.box.Tokens()[readyGrant]), 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("write the token: %w", err), listener.Close(), p.box.Close())
	}
	p.server = &http.Server{Handler: p.box.Handler(), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = p.server.Serve(listener) }() // it ends with close
	return p, nil
}

func (p *person) tokenFile() string { return filepath.Join(p.folder, "token") }

// DefaultServer is the command of this project's server.
const DefaultServer = "pdpp-mcp stdio --provider-url {url} --access-token-file {token-file} --cache-root {folder}"

// relayed returns the server for a command with placeholders. Spaces separate the words of the command.
func (p *person) relayed(command string) relay.Server {
	filled := strings.NewReplacer(
		"{url}", p.url, "{token-file}", p.tokenFile(), "{db}", filepath.Join(p.folder, "sandbox.db"), "{folder}", p.folder)
	server := relay.Server{Environment: Environment()}
	for _, word := range strings.Fields(command) {
		server.Command = append(server.Command, filled.Replace(word))
	}
	return server
}

// Environment returns what servers and agents inherit: what programs need to start, and no keys.
func Environment() []string {
	var inherited []string
	for _, name := range []string{
		"PATH", "HOME", "TMPDIR", "LANG", "XDG_CACHE_HOME", "SystemRoot", "TEMP",
		"LOCALAPPDATA",
	} {
		if value, set := os.LookupEnv(name); set {
			inherited = append(inherited, name+"="+value)
		}
	}
	return inherited
}

func (p *person) close() error {
	return errors.Join(p.server.Close(), p.box.Close())
}
