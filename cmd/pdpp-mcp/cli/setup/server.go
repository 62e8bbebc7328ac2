package setup

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/mcphost"
)

// setupServer has the flags that describe the server that a host starts or connects to.
type setupServer struct {
	name        string
	url         string
	providerURL string
	cacheRoot   string
	grantID     string
	clearText   invocation.ClearText
}

func (s *setupServer) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&s.name, "name", "pdpp", "name of the server in the host")
	flags.StringVar(&s.url, "url", "", "MCP endpoint of a hosted server, such as https://data.example/mcp")
	invocation.AddProviderURL(flags, &s.providerURL, "origin of the PDPP provider that the started binary reads")
	invocation.AddCacheRoot(flags, &s.cacheRoot)
	invocation.AddGrantID(flags, &s.grantID, "the started binary uses the cached credential only if it belongs to this grant")
	s.clearText.AddFlags(flags)
}

// server returns the server for the host's configuration. With --url, environment variables for other commands are ignored.
func (s *setupServer) server() (mcphost.Server, error) {
	if s.url != "" {
		return mcphost.Server{Name: s.name, URL: s.url}, nil
	}
	if s.providerURL == "" {
		return mcphost.Server{}, invocation.Usagef("setup needs to know the data: pass --provider-url such as https://data.example, or --url of a hosted server")
	}
	provider, err := credential.ParseProviderURL(s.providerURL)
	if err != nil {
		return mcphost.Server{}, err
	}
	if err := s.clearText.Refuse("provider URL", provider); err != nil {
		return mcphost.Server{}, err
	}
	binary, err := thisBinary()
	if err != nil {
		return mcphost.Server{}, err
	}
	arguments := []string{"stdio", "--provider-url", provider}
	root, err := s.root()
	if err != nil {
		return mcphost.Server{}, err
	}
	if root != "" {
		arguments = append(arguments, "--cache-root", root)
	}
	if credential.RefuseClearText("provider URL", provider) != nil { // allowed here, so the started server needs the flag too
		arguments = append(arguments, "--"+invocation.AllowPlainHTTP)
	}
	if s.grantID != "" {
		arguments = append(arguments, "--grant-id", s.grantID)
	}
	return mcphost.Server{Name: s.name, Command: binary, Arguments: arguments}, nil
}

// root returns the absolute path of the cache, since a host starts servers in another folder. It is empty for the default
// below the home directory, which the started binary finds by itself.
func (s *setupServer) root() (string, error) {
	cache, err := invocation.OpenCache(s.cacheRoot, nil)
	if err != nil {
		return "", err
	}
	absolute, err := filepath.Abs(cache.Root)
	if err != nil {
		return "", fmt.Errorf("find the credential cache: %w", err)
	}
	if home, err := os.UserHomeDir(); err == nil && absolute == filepath.Join(home, ".pdpp") {
		return "", nil
	}
	return absolute, nil
}

// thisBinary returns the absolute path of the program. It keeps a link on the PATH, which stays valid when an update
// replaces the link's target.
func thisBinary() (string, error) {
	running, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this binary: %w", err)
	}
	called, err := exec.LookPath(os.Args[0])
	if err == nil {
		called, err = filepath.Abs(called)
	}
	if err != nil || !sameFile(called, running) {
		return running, nil
	}
	return called, nil
}

func sameFile(one, other string) bool {
	first, err := os.Stat(one)
	if err != nil {
		return false
	}
	second, err := os.Stat(other)
	return err == nil && os.SameFile(first, second)
}
