package setup

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/desktop/mcphost"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
)

type setupServer struct {
	name      string
	url       string
	providers []string
	cacheRoot string
	grants    []string
	clearText invocation.ClearText
}

func (s *setupServer) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&s.name, "name", "pdpp", "`name` of the server in the host")
	flags.StringVar(&s.url, "url", "", "`url` of the MCP endpoint of a hosted server, such as https://pdpp.example/mcp")
	invocation.AddProviderURLs(flags, &s.providers, "origin of a PDPP provider to read; repeatable (default: every connected one)")
	invocation.AddCacheRoot(flags, &s.cacheRoot)
	invocation.AddGrants(flags, &s.grants, "read only with this `grant`, by its id or label; repeatable (default: all of the provider, later ones too)")
	s.clearText.AddFlags(flags)
}

// server returns the server for the host's configuration. --url overrides variables for other flags.
func (s *setupServer) server() (mcphost.Server, error) {
	if s.url != "" {
		return mcphost.Server{Name: s.name, URL: s.url}, nil
	}
	cache, err := invocation.OpenCache(s.cacheRoot, nil)
	if err != nil {
		return mcphost.Server{}, err
	}
	providers, isPlain, err := s.providersToServe(cache)
	if err != nil {
		return mcphost.Server{}, err
	}
	binary, err := thisBinary()
	if err != nil {
		return mcphost.Server{}, err
	}
	arguments := []string{"stdio"}
	for _, provider := range providers {
		arguments = append(arguments, "--provider-url", provider)
	}
	// A host starts servers in any folder, which may hold another cache.
	root, err := filepath.Abs(cache.Root)
	if err != nil {
		return mcphost.Server{}, fmt.Errorf("find the credential cache: %w", err)
	}
	arguments = append(arguments, "--cache-root", root)
	if isPlain { // allowed here, so the started server needs the flag too
		arguments = append(arguments, "--"+invocation.AllowPlainHTTP)
	}
	for _, grant := range s.grants {
		arguments = append(arguments, "--grant-id", grant)
	}
	return mcphost.Server{Name: s.name, Command: binary, Arguments: arguments}, nil
}

// providersToServe returns the passed providers, or every connected one, and whether one of them is plain http on
// another machine.
func (s *setupServer) providersToServe(cache *credential.Cache) (providers []string, isPlain bool, err error) {
	passed := s.providers
	if len(passed) == 0 {
		if passed, err = cache.Providers(s.grants...); err != nil {
			return nil, false, err
		}
	}
	if len(passed) == 0 {
		return nil, false, invocation.Usagef("no provider: pass --provider-url such as https://pdpp.example, or --url of a hosted server")
	}
	for _, each := range passed {
		provider, err := credential.ParseProviderURL(each)
		if err != nil {
			return nil, false, err
		}
		if err := s.clearText.Refuse("provider URL", provider); err != nil {
			return nil, false, err
		}
		providers, isPlain = append(providers, provider), isPlain || credential.RefuseClearText("provider URL", provider) != nil
	}
	return providers, isPlain, nil
}

// signIns returns the command lines that sign in at the providers without a usable credential. The server cannot start
// before.
func (s *setupServer) signIns() []string {
	cache, err := invocation.OpenCache(s.cacheRoot, nil)
	if s.url != "" || err != nil {
		return nil
	}
	cache.KeepModes = true // the reader of a credential restricts its file
	providers, _, err := s.providersToServe(cache)
	if err != nil {
		return nil
	}
	var lines []string
	for _, provider := range providers {
		if _, err := cache.Load(provider, s.grants, time.Now()); err != nil {
			lines = append(lines, commandline.Connect(provider, cache.NamedRoot()))
		}
	}
	return lines
}

// thisBinary returns the absolute path of the program. It keeps a link on the PATH, which stays valid after updates.
func thisBinary() (string, error) {
	running, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this binary: %w", err)
	}
	called, err := exec.LookPath(os.Args[0])
	if err == nil {
		called, err = filepath.Abs(called)
	}
	first, firstErr := os.Stat(running)
	second, secondErr := os.Stat(called)
	if errors.Join(err, firstErr, secondErr) != nil || !os.SameFile(first, second) {
		return running, nil
	}
	return called, nil
}
